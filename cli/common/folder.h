/* folder.h - which problem of a folder is meant: obs.csv and int.csv, obs.csv and conditions
 * c1.csv, c2.csv, ..., a DCDI layout, or sub-folders g0, g1, ...
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

/* The files of a control and its conditions: obs.csv, c1.csv, c2.csv, ... in the order of their
 * numbers, where there is no int.csv. */
typedef struct condition_files {
    char **paths;           /* [count] */
    size_t count;           /* 0: the folder, or the problem meant in it, has none */
    size_t index, problems; /* as above */
} condition_files;

/* Returns an exit code without reporting a failure. A path that is no folder has no conditions.
 * Free in any case. */
int folder_find_conditions(condition_files *files, const char *path, const size_t *index);
void condition_files_free(condition_files *files);
/* Does the folder, or the problem meant in it, have obs.csv and c1.csv and no int.csv? True also if
 * it cannot be listed, which folder_find_conditions tells. */
bool folder_has_conditions(const char *path, const size_t *index);

bool is_file(const char *path); /* exists and is no folder */

#endif
