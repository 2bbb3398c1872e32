/* weights_write.c - writing a weights file (see weights.h).
 *
 * Same content, same bytes: tensors stand by type (uint64_t first, so that they are aligned without
 * gaps, which the format forbids) and name, metadata by key, and the JSON has no spaces but the
 * padding after it. The checksum of the header is taken over the header itself with zeros in its
 * own place.
 */
#include "model/weights/weights_parts.h"

#include "io/file.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const weights_tensor **tensors; /* in the order of the file */
    size_t tensor_count;
    const weights_note **notes; /* in the order of their keys */
    size_t note_count;
    cJSON *tree;
    char *header; /* length and text */
    size_t header_size;
} writer;

#define SHOWN(text_) SHOW((text_), strlen(text_))

/* ---- what may be written ---- */

static int compare_tensors(const void *a, const void *b)
{
    const weights_tensor *const *first = a, *const *second = b;
    if ((*first)->type != (*second)->type) return (*first)->type == WEIGHTS_U64 ? -1 : 1;
    return strcmp((*first)->name, (*second)->name);
}

static int compare_notes(const void *a, const void *b)
{
    const weights_note *const *first = a, *const *second = b;
    return strcmp((*first)->key, (*second)->key);
}

static bool is_reserved(const char *key)
{
    return strcmp(key, WEIGHTS_KEY_FORMAT) == 0 || strcmp(key, WEIGHTS_KEY_VERSION) == 0 ||
           strcmp(key, WEIGHTS_KEY_HEADER) == 0 ||
           strncmp(key, WEIGHTS_KEY_CHECKSUM, strlen(WEIGHTS_KEY_CHECKSUM)) == 0;
}

static scone_status check_tensor(const weights_tensor *tensor)
{
    scone_status status = SCONE_OK;
    size_t bytes;
    if (!weights_name_is_good(tensor->name) || strcmp(tensor->name, "__metadata__") == 0) {
        FAIL_DEFECT("the name of a tensor that is to be written");
    }
    TRY(weights_shape_bytes(&bytes, tensor));
    if (tensor->type != WEIGHTS_F32) return SCONE_OK;
    const float *values = tensor->data;
    for (size_t i = 0; i < bytes / sizeof *values; i++) {
        if (isfinite(values[i])) continue;
        FAIL(SCONE_ERR_INPUT,
             "value %zu is %s, so it is not written; the training diverged: lower the "
             "learning rate",
             i + 1, isnan(values[i]) ? "NaN" : "infinite");
    }
cleanup:
    if (status != SCONE_OK) status_prefix("tensor '%s'", SHOWN(tensor->name));
    return status;
}

static scone_status collect_tensors(writer *w, const weights_tensor *tensors, size_t count)
{
    scone_status status = SCONE_OK;
    if (count == 0) FAIL_DEFECT("a weights file without tensors");
    TRY_ALLOC(w->tensors, count);
    for (size_t t = 0; t < count; t++) {
        TRY(check_tensor(&tensors[t]));
        w->tensors[t] = &tensors[t];
    }
    w->tensor_count = count;
    qsort(w->tensors, count, sizeof *w->tensors, compare_tensors);
cleanup:
    return status;
}

static scone_status collect_notes(writer *w, const weights_note *notes, size_t count)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(w->notes, count);
    for (size_t n = 0; n < count; n++) {
        if (!weights_name_is_good(notes[n].key) || is_reserved(notes[n].key)) {
            FAIL_DEFECT("a key of metadata that are to be written");
        }
        if (!weights_text_is_plain(notes[n].value)) {
            FAIL(SCONE_ERR_INPUT,
                 "metadata: the value of \"%s\" is not UTF-8 or has control characters, such as a "
                 "line break; leave these out",
                 notes[n].key);
        }
        w->notes[n] = &notes[n];
    }
    w->note_count = count;
    if (count) qsort(w->notes, count, sizeof *w->notes, compare_notes);
cleanup:
    return status;
}

/* ---- the header ---- */

static bool add_metadata(const writer *w, const char *format)
{
    cJSON *metadata = cJSON_AddObjectToObject(w->tree, "__metadata__");
    char text[WEIGHTS_HASH_SIZE], key[sizeof WEIGHTS_KEY_CHECKSUM + WEIGHTS_NAME_LIMIT];
    (void)snprintf(text, sizeof text, "%d", WEIGHTS_VERSION);
    bool good = metadata && cJSON_AddStringToObject(metadata, WEIGHTS_KEY_FORMAT, format) &&
                cJSON_AddStringToObject(metadata, WEIGHTS_KEY_VERSION, text) &&
                cJSON_AddStringToObject(metadata, WEIGHTS_KEY_HEADER, "0000000000000000");
    for (size_t n = 0; n < w->note_count && good; n++) {
        good = cJSON_AddStringToObject(metadata, w->notes[n]->key, w->notes[n]->value);
    }
    for (size_t t = 0; t < w->tensor_count && good; t++) {
        const weights_tensor *tensor = w->tensors[t];
        (void)snprintf(key, sizeof key, WEIGHTS_KEY_CHECKSUM "%s", tensor->name);
        weights_hash(text, tensor->data, weights_values(tensor) * weights_type_bytes(tensor->type));
        good = cJSON_AddStringToObject(metadata, key, text);
    }
    return good;
}

/* *end is where its values begin, and then where they end. */
static scone_status add_tensor(const writer *w, const weights_tensor *tensor, size_t *end)
{
    scone_status status = SCONE_OK;
    char shape[WEIGHTS_SHAPE_SIZE], compact[WEIGHTS_SHAPE_SIZE], offsets[64];
    size_t begin = *end, bytes, used = 0;
    TRY(weights_shape_bytes(&bytes, tensor));
    if (!size_add(end, begin, bytes)) FAIL_DEFECT("values that do not fit a file");
    weights_shape_text(shape, tensor);
    for (const char *c = shape; *c; c++) {
        if (*c != ' ') compact[used++] = *c;
    }
    compact[used] = '\0';
    (void)snprintf(offsets, sizeof offsets, "[%zu,%zu]", begin, *end);
    cJSON *object = cJSON_AddObjectToObject(w->tree, tensor->name);
    if (!object || !cJSON_AddStringToObject(object, "dtype", weights_type_name(tensor->type)) ||
        !cJSON_AddRawToObject(object, "shape", compact) ||
        !cJSON_AddRawToObject(object, "data_offsets", offsets)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory for the header of a weights file");
    }
cleanup:
    return status;
}

static scone_status build_tree(writer *w, const char *format)
{
    scone_status status = SCONE_OK;
    size_t end = 0;
    w->tree = cJSON_CreateObject();
    if (!w->tree || !add_metadata(w, format)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory for the header of a weights file");
    }
    for (size_t t = 0; t < w->tensor_count; t++) TRY(add_tensor(w, w->tensors[t], &end));
cleanup:
    return status;
}

/* Length, text, padding, checksum. */
static scone_status build_header(writer *w, const char *format)
{
    scone_status status = SCONE_OK;
    char *text = NULL, hash[WEIGHTS_HASH_SIZE];
    size_t digits;
    TRY(build_tree(w, format));
    text = cJSON_PrintUnformatted(w->tree);
    if (!text) FAIL(SCONE_ERR_MEMORY, "out of memory for the header of a weights file");
    size_t length = strlen(text);
    size_t padded = (8 + length + WEIGHTS_ALIGNMENT - 1) / WEIGHTS_ALIGNMENT * WEIGHTS_ALIGNMENT;
    if (padded - 8 > WEIGHTS_HEADER_LIMIT) {
        FAIL(SCONE_ERR_INPUT,
             "a header of %zu bytes, and at most %d are allowed: too many tensors or too much "
             "metadata",
             padded - 8, WEIGHTS_HEADER_LIMIT);
    }
    TRY_ALLOC(w->header, padded);
    w->header_size = padded;
    memset(w->header, ' ', padded);
    for (size_t i = 0; i < 8; i++) w->header[i] = (char)((padded - 8) >> 8 * i & 0xff);
    memcpy(w->header + 8, text, length);
    if (!weights_header_hash(hash, &digits, (const unsigned char *)w->header, padded)) {
        FAIL_DEFECT("no place for the checksum of a header");
    }
    memcpy(w->header + digits, hash, WEIGHTS_HASH_SIZE - 1);
cleanup:
    cJSON_free(text);
    return status;
}

/* ---- the file ---- */

static scone_status write_file(const writer *w, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *file = NULL;
    TRY(output_open(&file, path));
    TRY(output_write(file, w->header, w->header_size));
    for (size_t t = 0; t < w->tensor_count; t++) {
        const weights_tensor *tensor = w->tensors[t];
        TRY(output_write(file, tensor->data,
                         weights_values(tensor) * weights_type_bytes(tensor->type)));
    }
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    return status;
}

/* Two tensors or keys of one name: neighbours after sorting, but for tensors of two types. */
static scone_status check_unique(const writer *w)
{
    scone_status status = SCONE_OK;
    for (size_t n = 1; n < w->note_count; n++) {
        if (compare_notes(&w->notes[n - 1], &w->notes[n]) == 0) {
            FAIL_DEFECT("a key of metadata that is to be written twice");
        }
    }
    size_t words = 0; /* tensors of type uint64_t, which come first; both parts are sorted */
    while (words < w->tensor_count && w->tensors[words]->type == WEIGHTS_U64) words++;
    for (size_t t = 1; t < w->tensor_count; t++) {
        if (compare_tensors(&w->tensors[t - 1], &w->tensors[t]) == 0) {
            FAIL_DEFECT("a tensor that is to be written twice");
        }
    }
    for (size_t a = 0, b = words; a < words && b < w->tensor_count;) {
        int order = strcmp(w->tensors[a]->name, w->tensors[b]->name);
        if (order == 0) FAIL_DEFECT("a tensor that is to be written twice");
        if (order < 0) {
            a++;
        } else {
            b++;
        }
    }
cleanup:
    return status;
}

scone_status weights_write(const char *path, const char *format, const weights_tensor *tensors,
                           size_t tensor_count, const weights_note *notes, size_t note_count)
{
    scone_status status = SCONE_OK;
    writer w = {0};
    TRY(collect_tensors(&w, tensors, tensor_count));
    TRY(collect_notes(&w, notes, note_count));
    TRY(check_unique(&w));
    status = build_header(&w, format);
cleanup:
    if (status != SCONE_OK) status_prefix("%s", path);
    if (status == SCONE_OK) status = write_file(&w, path);
    cJSON_Delete(w.tree);
    mem_free(w.header);
    mem_free(w.tensors);
    mem_free(w.notes);
    return status;
}
