/* weights_read.c - opening a weights file: the map, its values, and what is in it (see weights.h).
 *
 * A checksum is compared before the values are looked at, so that damage is told as damage and only
 * values that were written so are told as not finite.
 */
#include "model/weights/weights_parts.h"

#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct weights {
    weights_header header;
    size_t size;
    void *map;  /* NULL: the bytes are the caller's */
    char *path; /* NULL after weights_parse */
};

#define SHOWN(text_) SHOW((text_), strlen(text_))

/* ---- values ---- */

static scone_status check_finite(const weights_tensor *tensor)
{
    const float *values = tensor->data;
    size_t count = weights_values(tensor), bad = 0;
    for (size_t i = 0; i < count; i++) bad += isfinite(values[i]) ? 0 : 1;
    if (bad == 0) return SCONE_OK;
    size_t first = 0;
    while (isfinite(values[first])) first++;
    return RAISE(SCONE_ERR_INPUT,
                 "tensor '%s': value %zu of %zu is %s; these weights cannot be used, train again",
                 SHOWN(tensor->name), first + 1, count, isnan(values[first]) ? "NaN" : "infinite");
}

static scone_status check_values(const weights_header *header)
{
    for (size_t t = 0; t < header->tensor_count; t++) {
        const weights_tensor *tensor = &header->tensors[t];
        char computed[WEIGHTS_HASH_SIZE];
        weights_hash(computed, tensor->data,
                     weights_values(tensor) * weights_type_bytes(tensor->type));
        if (strcmp(computed, header->checksums[t]) != 0) {
            return RAISE(SCONE_ERR_INPUT,
                         "tensor '%s': checksum %s noted, %s computed: the file is damaged; copy "
                         "or download it again",
                         SHOWN(tensor->name), SHOWN(header->checksums[t]), computed);
        }
        if (tensor->type != WEIGHTS_F32) continue;
        scone_status status = check_finite(tensor);
        if (status != SCONE_OK) return status;
    }
    return SCONE_OK;
}

/* ---- opening ---- */

static scone_status fill(weights *w, const unsigned char *bytes, const char *format)
{
    scone_status status = weights_header_parse(&w->header, bytes, w->size, format);
    return status == SCONE_OK ? check_values(&w->header) : status;
}

scone_status weights_parse(weights **out, const unsigned char *bytes, size_t size,
                           const char *format)
{
    scone_status status = SCONE_OK;
    weights *w = NULL;
    *out = NULL;
    TRY_ZERO(w, 1);
    w->size = size;
    TRY(fill(w, bytes, format));
    *out = w;
    return SCONE_OK;
cleanup:
    weights_free(w);
    return status;
}

/* Maps the whole of a regular file. */
static scone_status map_file(weights *w, int descriptor)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) {
        return RAISE(SCONE_ERR_IO, "cannot examine: %s", strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return RAISE(SCONE_ERR_IO, "is a folder, not a file; name a file inside it");
    }
    if (!S_ISREG(info.st_mode)) {
        return RAISE(SCONE_ERR_IO,
                     "not a regular file, which weights must be in; copy them to one");
    }
    if (info.st_size == 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "truncated: the file is empty; copy or download the file again");
    }
    void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (map == MAP_FAILED) {
        return RAISE(errno == ENOMEM ? SCONE_ERR_MEMORY : SCONE_ERR_IO, "cannot map: %s",
                     strerror(errno));
    }
    w->map = map;
    w->size = (size_t)info.st_size;
    return SCONE_OK;
}

scone_status weights_open(weights **out, const char *path, const char *format)
{
    scone_status status = SCONE_OK;
    weights *w = NULL;
    int descriptor = -1;
    *out = NULL;
    TRY_ZERO(w, 1);
    w->path = mem_copy_text(path, strlen(path));
    if (!w->path) TRY(SCONE_ERR_MEMORY);
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make it wait */
    if (descriptor < 0) {
        FAIL(SCONE_ERR_IO, "cannot open: %s; check the name and the permissions", strerror(errno));
    }
    TRY(map_file(w, descriptor));
    TRY(fill(w, w->map, format));
    *out = w;
    w = NULL;
cleanup:
    if (status != SCONE_OK) status_prefix("%s", path);
    if (descriptor >= 0) (void)close(descriptor); /* the map stays */
    weights_free(w);
    return status;
}

scone_status weights_note_input(input_list *inputs, const weights *w)
{
    return w->map ? input_list_add(inputs, w->path, w->map, w->size) : SCONE_OK;
}

void weights_free(weights *w)
{
    if (!w) return;
    weights_header_free(&w->header);
    if (w->map) (void)munmap(w->map, w->size);
    mem_free(w->path);
    mem_free(w);
}

/* ---- what was expected ---- */

static bool same_shape(const weights_tensor *a, const weights_tensor *b)
{
    return a->type == b->type && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

static scone_status expect_one(const weights *w, const weights_tensor *wanted)
{
    const weights_tensor *found = weights_find(w, wanted->name);
    if (!found) {
        return RAISE(SCONE_ERR_INPUT,
                     "tensor '%s' is missing; the weights belong to another model or another "
                     "version of scone",
                     wanted->name);
    }
    if (same_shape(found, wanted)) return SCONE_OK;
    char has[WEIGHTS_SHAPE_SIZE], wants[WEIGHTS_SHAPE_SIZE];
    weights_shape_text(has, found);
    weights_shape_text(wants, wanted);
    return RAISE(SCONE_ERR_INPUT,
                 "tensor '%s' is %s %s, and the model needs %s %s; the weights belong to another "
                 "model or another version of scone",
                 wanted->name, weights_type_name(found->type), has, weights_type_name(wanted->type),
                 wants);
}

/* A tensor of the file that is not in the list; there is one. */
static const char *unexpected_name(const weights *w, const weights_tensor *expected, size_t count)
{
    for (size_t t = 0; t < w->header.tensor_count; t++) {
        const char *name = w->header.tensors[t].name;
        size_t e = 0;
        while (e < count && strcmp(expected[e].name, name) != 0) e++;
        if (e == count) return name;
    }
    return "";
}

scone_status weights_expect(const weights *w, const weights_tensor *expected, size_t count)
{
    scone_status status = SCONE_OK;
    for (size_t e = 0; e < count; e++) TRY(expect_one(w, &expected[e]));
    if (w->header.tensor_count != count) { /* more, since names of the list are unique */
        FAIL(SCONE_ERR_INPUT,
             "tensor '%s' is unknown; the weights belong to another model or another version of "
             "scone",
             SHOWN(unexpected_name(w, expected, count)));
    }
cleanup:
    if (status != SCONE_OK && w->path) status_prefix("%s", w->path);
    return status;
}

/* ---- access ---- */

size_t weights_count(const weights *w)
{
    return w->header.tensor_count;
}

const weights_tensor *weights_get(const weights *w, size_t index)
{
    return &w->header.tensors[index];
}

const weights_tensor *weights_find(const weights *w, const char *name)
{
    return weights_header_find(&w->header, name);
}

static const void *find_data(const weights *w, const char *name, weights_type type)
{
    const weights_tensor *tensor = weights_find(w, name);
    return tensor && tensor->type == type ? tensor->data : NULL;
}

const float *weights_floats(const weights *w, const char *name)
{
    return find_data(w, name, WEIGHTS_F32);
}

const uint64_t *weights_words(const weights *w, const char *name)
{
    return find_data(w, name, WEIGHTS_U64);
}

const char *weights_text(const weights *w, const char *key)
{
    return weights_header_note(&w->header, key);
}

scone_status weights_need(const char **value, const weights *w, const char *key)
{
    *value = weights_text(w, key);
    if (*value) return SCONE_OK;
    scone_status status = RAISE(
        SCONE_ERR_INPUT, "metadata: \"%s\" is missing; give a file that scone train wrote", key);
    if (w->path) status_prefix("%s", w->path);
    return status;
}

size_t weights_bytes(const weights *w)
{
    return w->size;
}

const char *weights_path(const weights *w)
{
    return w->path ? w->path : "";
}
