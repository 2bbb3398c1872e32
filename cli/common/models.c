/* models.c - finding the weights of a preset (see models.h). */
#include "models.h"

#include "launch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 5, PLACE_SIZE = 4096 };

/* Folders to look in, in their order, without repetitions. */
typedef struct place_list {
    char *folders[PLACES];
    size_t count;
} place_list;

static int out_of_memory(session *s)
{
    complain("out of memory");
    s->failed = true;
    return SCONE_ERR_MEMORY;
}

/* folder + "/" + name, in new memory or NULL */
static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *out = malloc(size);
    bool ends = length > 0 && folder[length - 1] == '/';
    if (out) (void)snprintf(out, size, "%s%s%s", folder, ends ? "" : "/", name);
    return out;
}

/* The folder of this program in out; false if the system does not tell. */
static bool program_folder(char out[PLACE_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", out, PLACE_SIZE - 1);
    if (length <= 0 || length >= PLACE_SIZE - 1) return false;
    out[length] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

/* "/a/b" to "/a"; false at the root, which is "". */
static bool cut_last(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

/* Takes the text over. */
static bool add_place(place_list *list, char *folder)
{
    if (!folder) return false;
    for (size_t k = 0; k < list->count; k++) {
        if (strcmp(list->folders[k], folder) != 0) continue;
        free(folder);
        return true;
    }
    list->folders[list->count++] = folder;
    return true;
}

static void free_places(place_list *list)
{
    for (size_t k = 0; k < list->count; k++) free(list->folders[k]);
}

/* false: out of memory */
static bool list_places(place_list *list)
{
    char folder[PLACE_SIZE], above[PLACE_SIZE];
    bool fine = true;
    *list = (place_list){.count = 0};
    if (program_folder(folder)) {
        memcpy(above, folder, sizeof above);
        if (cut_last(above)) fine = add_place(list, join(above, "share/scone/models"));
        for (int level = 0; fine && level < 3; level++) {
            fine = add_place(list, join(folder, "models"));
            if (!cut_last(folder)) break;
        }
    }
    return fine && add_place(list, strdup(SCONE_MODELS_FOLDER));
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The first place that has the file; *path is NULL if none has. false: out of memory */
static bool search_places(char **path, const place_list *list, const char *name)
{
    *path = NULL;
    for (size_t k = 0; k < list->count; k++) {
        char *file = join(list->folders[k], name);
        if (!file) return false;
        if (access(file, F_OK) == 0) {
            *path = file;
            return true;
        }
        free(file);
    }
    return true;
}

static int report_missing(session *s, const place_list *list, const char *preset)
{
    char text[1500] = "";
    size_t used = 0;
    for (size_t k = 0; k < list->count && used < sizeof text; k++) {
        int length =
            snprintf(text + used, sizeof text - used, "%s%s", k ? ", " : "", list->folders[k]);
        if (length > 0) used += (size_t)length;
    }
    s->failed = true;
    complain(
        "the weights of the preset %s are missing: there is no %s.safetensors in %s; give them "
        "with --model FILE, or make them: scone train --preset %s -o %s.safetensors "
        "(docs/manual/train.md has the options of the shipped ones)",
        preset, preset, text, preset, preset);
    return SCONE_ERR_IO;
}

static int look(char **path, session *s, const char *preset, const char *given, bool needed)
{
    place_list list = {.count = 0};
    char name[128];
    bool fine;
    *path = NULL;
    (void)snprintf(name, sizeof name, "%s.safetensors", preset);
    if (given) {
        *path = is_folder(given) ? join(given, name) : strdup(given);
        return *path ? SCONE_OK : out_of_memory(s);
    }
    fine = list_places(&list) && search_places(path, &list, name);
    int code = !fine              ? out_of_memory(s)
               : !*path && needed ? report_missing(s, &list, preset)
                                  : SCONE_OK;
    free_places(&list);
    return code;
}

int models_find(char **path, session *s, const char *preset, const char *given)
{
    return look(path, s, preset, given, true);
}

int models_look(char **path, session *s, const char *preset, const char *given)
{
    return look(path, s, preset, given, false);
}
