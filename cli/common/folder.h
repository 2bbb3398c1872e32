/* folder.h - which problem of a folder is meant: obs.csv and int.csv, a DCDI layout, or sub-folders
 * g0, g1, ...
 */
#ifndef SCONE_CLI_FOLDER_H
#define SCONE_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct problem_folder {
    bool dcdi;
    size_t index;                         /* of the problem, in DCDI and numbered folders */
    size_t problems;                      /* how many such numbered problems the folder holds */
    char *observational, *interventional; /* else: paths of the two tables */
} problem_folder;

/* `index` chooses among several; NULL takes the lowest. Returns an exit code and reports a failure.
 * Free in any case. */
int folder_find(problem_folder *folder, const char *path, const size_t *index);
void folder_free(problem_folder *folder);
/* Would folder_find take a problem of DCDI's layout, and which? What is no folder has none. Returns
 * an exit code; if the folder cannot be listed, errno tells why, and nothing is reported. */
int folder_is_dcdi(bool *dcdi, size_t *problem, const char *path, const size_t *index);

bool is_file(const char *path); /* exists and is no folder */

#endif
