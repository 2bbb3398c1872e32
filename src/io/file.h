/* file.h - reading files, and writing them so that nothing half-written stays behind.
 *
 * Input: a byte source over a plain or gzip file with a bounded buffer, and whole small files.
 * Output: one file, or a folder of files, that appears by rename when complete. Every byte is
 * checked, flushed with fsync and renamed; on failure or without commit the temporary is removed.
 */
#ifndef SCONE_IO_FILE_H
#define SCONE_IO_FILE_H

#include "base/memory.h"

#include <sys/types.h>

/* ---- input ---- */

typedef struct input_file input_file;

/* Opens a regular file (or a pipe); gzip content is detected by its first bytes, not by name. */
scone_status input_open(input_file **file, const char *path);
/* Reads up to `size` decompressed bytes into buffer; *got = 0 at the end of the file. */
scone_status input_read(input_file *file, char *buffer, size_t size, size_t *got);
/* Size of the file on disk if it is a plain regular file, else 0: a hint, nothing more. */
size_t input_size_hint(const input_file *file);
/* Of a regular file that has been read to its end: its name, and size and XXH64 of its bytes on the
 * disk as they were read; false for any other. */
bool input_digest(const char **path, size_t *bytes, uint64_t *hash, const input_file *file);
void input_close(input_file *file);

typedef struct input_list input_list; /* io/input_list.h */

/* Reads a whole file (decompressed), refusing more than `limit` bytes; adds a final NUL that is
 * not counted. Free *bytes with mem_free. file_read_noted notes it in a list, unless that is NULL.
 */
scone_status file_read_all(char **bytes, size_t *size, const char *path, size_t limit);
scone_status file_read_noted(char **bytes, size_t *size, const char *path, size_t limit,
                             input_list *inputs);

/* Whatever cannot be told to be missing exists, and may be a folder: opening it says why. */
bool path_exists(const char *path);
bool path_is_folder(const char *path);
typedef enum path_kind { PATH_ABSENT, PATH_FOLDER, PATH_OTHER } path_kind;
/* What is there? Fails if that cannot be told. */
scone_status path_look(path_kind *kind, const char *path);
/* directory + "/" + name in new memory */
scone_status path_join(char **path, const char *folder, const char *name);

/* ---- output: one file ---- */

typedef struct output_file output_file;

/* Opens a temporary beside `path`. A folder or a missing parent folder is an error. */
scone_status output_open(output_file **file, const char *path);
scone_status output_write(output_file *file, const void *bytes, size_t size);
scone_status output_print(output_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Flush, fsync, rename; closes and frees also on failure, and sets *file to NULL. */
scone_status output_commit(output_file **file);
/* Removes the temporary; NULL is fine. */
void output_discard(output_file *file);

/* ---- output: a folder that appears as a whole ---- */

typedef struct output_folder output_folder;

/* What an entry of an existing folder is to the command that writes there. */
typedef enum output_entry {
    OUTPUT_FOREIGN = 0, /* not a name this command writes: stays as it is */
    OUTPUT_OURS = 1,    /* a file this command writes */
    OUTPUT_FOLDER = 2,  /* a folder this command writes; what it holds is asked as "g0/obs.csv" */
    OUTPUT_MARKER = 3   /* one of ours whose text proves an earlier run (setting.json, run.json) */
} output_entry;

enum { OUTPUT_MARKS = 2 };
typedef struct output_kind {
    output_entry (*classify)(const char *entry);
    const char *marks[OUTPUT_MARKS]; /* a marker of ours has one of them in its first 4096 bytes */
} output_kind;

/* Prepares a temporary folder beside `path`, or inside it if it exists, and keeps other runs out
 * of this place until it is committed or discarded; what killed runs left there is finished or
 * undone first, and told to the context. An existing folder may hold foreign entries, which stay,
 * and the outputs of an earlier run (a marker is there), which are replaced at commit. Entries with
 * our names but no marker are refused unless `force`, folders in place of files always. */
scone_status output_folder_open(output_folder **folder, const char *path, const output_kind *kind,
                                bool force, const scone_context *context);
/* Where to write: an output_open path inside the temporary folder; `name` may hold one "/", whose
 * first part is then created as a sub-folder. New memory. Safe to call from several threads. */
scone_status output_folder_path(char **path, output_folder *folder, const char *name);
/* Moves everything to its place and frees, also on failure, and sets *folder to NULL. A folder
 * appears by one rename; where others' files stay in an existing one the entries are renamed, and
 * renamed back if one of the renames fails. */
scone_status output_folder_commit(output_folder **folder);
void output_folder_discard(output_folder *folder);

#endif
