/* output_folder_parts.h - what the parts of an output folder share (see file.h).
 *
 * Names on the disk, with P the process and N a number:
 *   DIR.scone-tmp-P-N       a folder being filled beside its place; also an earlier result for the
 *                           moment in which it is removed
 *   DIR/.scone-tmp-P-N      one being filled inside an existing folder; what its sub-folder ".old"
 *                           holds belongs to DIR, and goes back if the run does not
 *   DIR/.scone-place-P-N    a complete one, whose entries belong to DIR and go there
 * The run that made such a folder holds a lock on it (flock), which ends with the run.
 */
#ifndef SCONE_IO_OUTPUT_FOLDER_PARTS_H
#define SCONE_IO_OUTPUT_FOLDER_PARTS_H

#include "io/file.h"
#include "io/listing.h"

#define OUTPUT_INSIDE  ".scone-tmp"
#define OUTPUT_PLACING ".scone-place"
#define OUTPUT_RETIRED ".old"

struct output_folder {
    char *path;      /* final place, no trailing slash, links resolved */
    char *temporary; /* where files are written now; NULL before it was made */
    int lock;        /* descriptor of the temporary folder, locked; -1 if none */
    int number;      /* of its name, to tell it from others of this process */
    bool existing;   /* path existed before */
    const output_kind *kind;
};

/* Finishes or undoes what killed runs left beside and inside `path`, and says so; a run that is
 * still at work there is a failure with SCONE_ERR_INPUT. */
scone_status output_leftovers_clear(const char *path, const scone_context *context);
/* Locks a folder: the descriptor, or -1 if another process has it (*taken) or if the file system
 * has no locks. */
int output_lock(const char *path, bool *taken);
/* path, `between` and the numbers of the temporary folder, in new memory */
scone_status output_temporary(char **path, const output_folder *folder, const char *between);
/* The folder that holds `path` in new memory: "." for a plain name. */
scone_status output_parent(char **parent, const char *path);
/* Renames from_folder/name to to_folder/name. */
scone_status output_move(const char *from_folder, const char *to_folder, const char *name);
/* Removes a file or a folder with all it holds; works within PATH_MAX and without memory, since it
 * also runs when memory is short. Links are removed, not followed. */
void output_remove_tree(const char *path);
/* Asks the disk to keep new names; some file systems cannot, which is no failure. */
scone_status output_sync(const char *path);

#endif
