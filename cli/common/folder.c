/* folder.c - which problem of a folder is meant (see folder.h). */
#include "folder.h"

#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* What cannot be examined may be one: opening it says what is wrong. */
static bool may_be_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return errno != ENOENT && errno != ENOTDIR;
    return !S_ISDIR(about.st_mode);
}

void folder_free(problem_folder *folder)
{
    free(folder->observational);
    free(folder->interventional);
    folder->observational = folder->interventional = NULL;
}

/* folder/name in new memory, or NULL */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* Looks for the two tables in folder/inner; both paths are NULL afterwards if they are not there.
 * Returns an exit code. */
static int find_tables(problem_folder *found, const char *folder, const char *inner)
{
    static const char *const endings[] = {"csv", "csv.gz", "tsv", "tsv.gz", "npy"};
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        char names[2][48];
        (void)snprintf(names[0], sizeof names[0], "%s%sobs.%s", inner, *inner ? "/" : "",
                       endings[e]);
        (void)snprintf(names[1], sizeof names[1], "%s%sint.%s", inner, *inner ? "/" : "",
                       endings[e]);
        found->observational = join(folder, names[0]);
        found->interventional = join(folder, names[1]);
        if (!found->observational || !found->interventional) {
            complain("out of memory");
            return SCONE_ERR_MEMORY;
        }
        if (may_be_file(found->observational) && may_be_file(found->interventional))
            return SCONE_OK;
        folder_free(found);
    }
    return SCONE_OK;
}

/* The number in "prefix<digits>suffix", or SIZE_MAX. */
static size_t number_between(const char *text, const char *prefix, const char *suffix)
{
    size_t length = strlen(prefix);
    if (strncmp(text, prefix, length) != 0) return SIZE_MAX;
    size_t digits = strspn(text + length, "0123456789");
    if (digits == 0 || digits > 9 || strcmp(text + length + digits, suffix) != 0) return SIZE_MAX;
    return (size_t)strtoul(text + length, NULL, 10);
}

/* Numbered problems of a folder: how many, and the lowest number. */
typedef struct numbered {
    size_t count, lowest;
} numbered;

static void numbered_add(numbered *n, size_t number)
{
    if (number == SIZE_MAX) return;
    if (n->count++ == 0 || number < n->lowest) n->lowest = number;
}

/* Counts the entries g<i> and data_interv<i>.npy; false, with the reason in errno, if the folder
 * cannot be listed to its end. */
static bool list_problems(const char *path, numbered *nested, numbered *dcdi)
{
    DIR *directory = opendir(path);
    *nested = *dcdi = (numbered){0};
    if (!directory) return false;
    for (;;) {
        errno = 0; /* readdir returns NULL at the end and on an error alike */
        const struct dirent *entry = readdir(directory);
        if (!entry) break;
        numbered_add(nested, number_between(entry->d_name, "g", ""));
        numbered_add(dcdi, number_between(entry->d_name, "data_interv", ".npy"));
    }
    int reason = errno;
    closedir(directory);
    errno = reason;
    return reason == 0;
}

int folder_find(problem_folder *folder, const char *path, const size_t *index)
{
    numbered nested, dcdi;
    *folder = (problem_folder){0};
    if (!list_problems(path, &nested, &dcdi)) {
        complain("%s: %s", path, strerror(errno));
        return SCONE_ERR_IO;
    }
    if (!index) {
        int code = find_tables(folder, path, "");
        if (code != SCONE_OK || folder->observational) return code;
    }
    if (dcdi.count) {
        folder->dcdi = true;
        folder->problems = dcdi.count;
        folder->index = index ? *index : dcdi.lowest;
        return SCONE_OK;
    }
    if (nested.count) {
        char inner[32];
        folder->problems = nested.count;
        folder->index = index ? *index : nested.lowest;
        (void)snprintf(inner, sizeof inner, "g%zu", folder->index);
        int code = find_tables(folder, path, inner);
        if (code != SCONE_OK || folder->observational) return code;
        complain("%s/%s has no obs.csv and int.csv", path, inner);
        return SCONE_ERR_INPUT;
    }
    complain("%s: the folder has neither obs.csv and int.csv%s nor DCDI files "
             "(data_interv1.npy, ...); give the two tables by name",
             path, index ? " in numbered sub-folders" : "");
    return SCONE_ERR_INPUT;
}

/* ---- a control and conditions ---- */

void condition_files_free(condition_files *files)
{
    for (size_t f = 0; f < files->count; f++) free(files->paths[f]);
    free(files->paths);
    *files = (condition_files){0};
}

/* Takes the path over. */
static int add_path(condition_files *files, char *path)
{
    char **grown = path ? realloc(files->paths, (files->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(path);
        return SCONE_ERR_MEMORY;
    }
    files->paths = grown;
    files->paths[files->count++] = path;
    return SCONE_OK;
}

/* By the number in the last part of a path, "c12.csv". */
static int compare_numbers(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    size_t m = number_between(strrchr(*x, '/') + 1, "c", ".csv");
    size_t n = number_between(strrchr(*y, '/') + 1, "c", ".csv");
    return m != n ? (m > n) - (m < n) : strcmp(*x, *y);
}

/* Adds c1.csv, c2.csv, ... of a folder by their numbers. */
static int add_conditions(condition_files *files, const char *folder)
{
    size_t first = files->count;
    int code = SCONE_OK;
    DIR *directory = opendir(folder);
    if (!directory) return SCONE_ERR_IO;
    while (code == SCONE_OK) {
        errno = 0; /* readdir returns NULL at the end and on an error alike */
        const struct dirent *entry = readdir(directory);
        if (!entry) {
            if (errno != 0) code = SCONE_ERR_IO;
            break;
        }
        if (number_between(entry->d_name, "c", ".csv") == SIZE_MAX) continue;
        code = add_path(files, join(folder, entry->d_name));
    }
    (void)closedir(directory);
    if (code == SCONE_OK && files->count > first) {
        qsort(files->paths + first, files->count - first, sizeof *files->paths, compare_numbers);
    }
    return code;
}

/* Nothing, unless the folder has obs.csv and conditions and no int.csv. */
static int find_conditions(condition_files *files, const char *folder)
{
    char *control = join(folder, "obs.csv"), *changed = join(folder, "int.csv");
    int code = control && changed ? SCONE_OK : SCONE_ERR_MEMORY;
    if (code == SCONE_OK && may_be_file(control) && !may_be_file(changed)) {
        code = add_path(files, control);
        control = NULL;
        if (code == SCONE_OK) code = add_conditions(files, folder);
    }
    free(control);
    free(changed);
    if (code != SCONE_OK || files->count == 1) condition_files_free(files);
    return code;
}

/* Without memory of its own, so that a lack of it is told by who reads; so is an int.csv that
 * cannot be examined. */
static bool holds_conditions(const char *folder, const char *inner)
{
    static const char *const names[] = {"obs.csv", "c1.csv", "int.csv"};
    bool there[3];
    char path[PATH_MAX];
    for (size_t i = 0; i < 3; i++) {
        int length = snprintf(path, sizeof path, "%s%s/%s", folder, inner, names[i]);
        bool fits = length > 0 && (size_t)length < sizeof path;
        there[i] = fits && (i < 2 ? may_be_file(path) : is_file(path));
    }
    return there[0] && there[1] && !there[2];
}

bool folder_has_conditions(const char *path, const size_t *index)
{
    numbered nested, dcdi;
    char inner[32];
    if (!index && holds_conditions(path, "")) return true;
    if (!list_problems(path, &nested, &dcdi)) return errno != ENOENT && errno != ENOTDIR;
    if (dcdi.count || !nested.count) return false;
    (void)snprintf(inner, sizeof inner, "/g%zu", index ? *index : nested.lowest);
    return holds_conditions(path, inner);
}

int folder_find_conditions(condition_files *files, const char *path, const size_t *index)
{
    numbered nested, dcdi;
    char inner[32];
    *files = (condition_files){0};
    int code = index ? SCONE_OK : find_conditions(files, path);
    if (code != SCONE_OK || files->count > 0) return code;
    if (!list_problems(path, &nested, &dcdi)) {
        return errno == ENOENT || errno == ENOTDIR ? SCONE_OK : SCONE_ERR_IO;
    }
    if (dcdi.count || !nested.count) return SCONE_OK;
    (void)snprintf(inner, sizeof inner, "g%zu", index ? *index : nested.lowest);
    char *folder = join(path, inner);
    code = folder ? find_conditions(files, folder) : SCONE_ERR_MEMORY;
    free(folder);
    files->problems = nested.count;
    files->index = index ? *index : nested.lowest;
    return code;
}

int folder_is_dcdi(bool *dcdi, size_t *problem, const char *path, const size_t *index)
{
    numbered nested, found;
    problem_folder folder = {0};
    *dcdi = false;
    if (!list_problems(path, &nested, &found)) {
        return errno == ENOENT || errno == ENOTDIR ? SCONE_OK : SCONE_ERR_IO;
    }
    if (found.count == 0) return SCONE_OK;
    int code = index ? SCONE_OK : find_tables(&folder, path, "");
    *dcdi = code == SCONE_OK && !folder.observational;
    *problem = index ? *index : found.lowest;
    folder_free(&folder);
    return code;
}
