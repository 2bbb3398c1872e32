/* models.c - finding the weights of a preset (see models.h). */
#include "presets/models.h"

#include "presets/presets.h"
#include "io/file.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Levels of folders above a library or program, counting its own, that may hold `models`. */
enum { LEVELS = 4, PLACES = 2 * (LEVELS + 1) + 1 };

/* Folders to look in, in their order, without repetitions. */
typedef struct place_list {
    char *folders[PLACES];
    size_t count;
} place_list;

static void free_places(place_list *list)
{
    for (size_t k = 0; k < list->count; k++) mem_free(list->folders[k]);
}

/* Takes the text over, which may be NULL for lack of memory. */
static scone_status add_place(place_list *list, char *place)
{
    if (!place) return SCONE_ERR_MEMORY;
    for (size_t k = 0; k < list->count; k++) {
        if (strcmp(list->folders[k], place) != 0) continue;
        mem_free(place);
        return SCONE_OK;
    }
    list->folders[list->count++] = place;
    return SCONE_OK;
}

/* "/a/b" to "/a", and "/a" to "/"; false if nothing is above. */
static bool cut_last(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (!slash || !slash[1]) return false;
    slash[slash == folder] = '\0';
    return true;
}

static scone_status add_places(place_list *list, const char *home)
{
    scone_status status = SCONE_OK;
    char folder[PATH_MAX], above[PATH_MAX], *place;
    if (!home || strlen(home) >= sizeof folder) return SCONE_OK;
    (void)strcpy(folder, home);
    (void)strcpy(above, home);
    if (cut_last(above)) {
        TRY(path_join(&place, above, "share/scone/models"));
        TRY(add_place(list, place));
    }
    for (int level = 0; level < LEVELS; level++) {
        TRY(path_join(&place, folder, "models"));
        TRY(add_place(list, place));
        if (!cut_last(folder)) break;
    }
cleanup:
    return status;
}

static scone_status fail_missing(const place_list *list, const char *name)
{
    char text[1500] = "";
    size_t used = 0;
    for (size_t k = 0; k < list->count && used < sizeof text; k++) {
        int length =
            snprintf(text + used, sizeof text - used, "%s%s", k ? ", " : "", list->folders[k]);
        if (length > 0) used += (size_t)length;
    }
    return RAISE(
        SCONE_ERR_IO,
        "the weights of the preset %s are missing: there is no %s.safetensors in %s; give them "
        "with --model FILE, or make them: scone train --preset %s -o %s.safetensors "
        "(docs/manual/train.md has the options of the shipped ones)",
        name, name, text, name, name);
}

static scone_status join_file(char **path, const char *folder, const char *name)
{
    char file[128];
    (void)snprintf(file, sizeof file, "%s.safetensors", name);
    return path_join(path, folder, file);
}

scone_status models_find_near(char **path, const char *name, const models_homes *homes)
{
    scone_status status = SCONE_OK;
    place_list list = {.count = 0};
    *path = NULL;
    TRY(add_places(&list, homes->library));
    TRY(add_places(&list, homes->program));
    TRY(add_place(&list, mem_copy_text(homes->installed, strlen(homes->installed))));
    for (size_t k = 0; k < list.count; k++) {
        TRY(join_file(path, list.folders[k], name));
        if (path_exists(*path)) goto cleanup;
        mem_free(*path);
        *path = NULL;
    }
    status = fail_missing(&list, name);
cleanup:
    free_places(&list);
    return status;
}

/* The folder of the shared library that this code is in; NULL if it is part of the program. */
static const char *library_folder(char out[PATH_MAX])
{
    static const char here = 0;
    Dl_info about;
    void *map = NULL;
    if (dladdr1(&here, &about, &map, RTLD_DL_LINKMAP) == 0 || !map) return NULL;
    const char *name = ((const struct link_map *)map)->l_name; /* "": the program */
    return *name && realpath(name, out) && cut_last(out) ? out : NULL;
}

/* NULL if the system does not tell. */
static const char *program_folder(char out[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (length <= 0 || length >= PATH_MAX - 1) return NULL;
    out[length] = '\0';
    return cut_last(out) ? out : NULL;
}

scone_status scone_model_find(char **path, const char *name, const char *model)
{
    scone_status status = SCONE_OK;
    char library[PATH_MAX], program[PATH_MAX];
    const preset *known;
    *path = NULL;
    TRY(preset_find(&known, name));
    if (!known->learned) FAIL(SCONE_ERR_INPUT, "the preset %s has no weights", known->name);
    if (!model) {
        const models_homes homes = {library_folder(library), program_folder(program),
                                    SCONE_MODELS_FOLDER};
        TRY(models_find_near(path, known->name, &homes));
    } else if (path_is_folder(model)) {
        TRY(join_file(path, model, known->name));
    } else {
        *path = mem_copy_text(model, strlen(model));
        if (!*path) status = SCONE_ERR_MEMORY;
    }
cleanup:
    return status;
}
