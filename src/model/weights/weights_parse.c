/* weights_parse.c - the header of a weights file, read without trusting it (see weights_parts.h).
 *
 * In this order, each before anything is allocated that it bounds: the length of the header against
 * the file and the limit, its text as JSON, the metadata (is it ours, of this version, undamaged),
 * every tensor (type, shape, place), all of them together (no name twice, no gap, no overlap, no
 * byte left over, a checksum each). Numbers of the JSON are doubles: exact up to 2^53, and nothing
 * above that is accepted.
 * Cost: O(h + n log n) for h bytes of header and n tensors.
 */
#include "model/weights/weights_parts.h"

#include "text/json_check.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN(text_) SHOW((text_), strlen(text_))
#define AGAIN        "copy or download the file again"
#define BROKEN       "; the file is broken, get it again from its source"

/* ---- the frame ---- */

/* The length of the header, which lies within the file. */
static scone_status read_length(size_t *length, const unsigned char *bytes, size_t size)
{
    *length = 0;
    if (size < 8) {
        return RAISE(SCONE_ERR_INPUT,
                     "truncated: %zu bytes, where the length of the header alone takes 8; " AGAIN,
                     size);
    }
    uint64_t claimed = 0;
    for (size_t i = 8; i-- > 0;) claimed = claimed << 8 | bytes[i];
    if (claimed > WEIGHTS_HEADER_LIMIT) {
        return RAISE(SCONE_ERR_INPUT,
                     "not a weights file: its header would have %llu bytes, and at most %d are "
                     "allowed; give a .safetensors file that scone wrote",
                     (unsigned long long)claimed, WEIGHTS_HEADER_LIMIT);
    }
    if (claimed > size - 8) {
        return RAISE(SCONE_ERR_INPUT,
                     "truncated: a header of %llu bytes, of which %zu are there; " AGAIN,
                     (unsigned long long)claimed, size - 8);
    }
    if (claimed < 2 || bytes[8] != '{') {
        return RAISE(SCONE_ERR_INPUT, "not a weights file: the header does not start with '{'; "
                                      "give a .safetensors file that scone wrote");
    }
    if ((claimed + 8) % WEIGHTS_ALIGNMENT != 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "the values start at byte %llu, not at a multiple of %d: not written by "
                     "scone, or damaged; " AGAIN,
                     (unsigned long long)claimed + 8, WEIGHTS_ALIGNMENT);
    }
    *length = (size_t)claimed;
    return SCONE_OK;
}

static scone_status parse_tree(weights_header *header, const unsigned char *bytes, size_t length)
{
    const char *text = (const char *)bytes + 8;
    scone_status status = json_check(text, length);
    if (status != SCONE_OK) {
        status_prefix("the header is damaged, " AGAIN);
        return status;
    }
    header->tree = cJSON_ParseWithLength(text, length);
    if (!header->tree)
        return RAISE(SCONE_ERR_MEMORY, "out of memory for a header of %zu bytes", length);
    return SCONE_OK;
}

/* ---- metadata ---- */

static int compare_notes(const void *a, const void *b)
{
    return strcmp(((const weights_note *)a)->key, ((const weights_note *)b)->key);
}

static size_t count_members(const cJSON *object)
{
    size_t count = 0;
    for (const cJSON *item = object->child; item; item = item->next) count++;
    return count;
}

static scone_status read_notes(weights_header *header, const cJSON *metadata)
{
    scone_status status = SCONE_OK;
    if (!metadata) {
        FAIL(SCONE_ERR_INPUT, "no \"__metadata__\" in the header: scone did not write this file; "
                              "give one that it wrote");
    }
    if (!cJSON_IsObject(metadata))
        FAIL(SCONE_ERR_INPUT, "\"__metadata__\" is not an object" BROKEN);
    TRY_ALLOC(header->notes, count_members(metadata));
    for (const cJSON *item = metadata->child; item; item = item->next) {
        if (!weights_text_is_plain(item->string) || !*item->string) {
            FAIL(SCONE_ERR_INPUT,
                 "metadata: the key \"%s\" is empty or has control characters" BROKEN,
                 SHOWN(item->string));
        }
        if (!cJSON_IsString(item) || !weights_text_is_plain(item->valuestring)) {
            FAIL(SCONE_ERR_INPUT,
                 "metadata: the value of \"%s\" is not a text without control characters" BROKEN,
                 SHOWN(item->string));
        }
        header->notes[header->note_count++] = (weights_note){item->string, item->valuestring};
    }
    if (header->note_count) {
        qsort(header->notes, header->note_count, sizeof *header->notes, compare_notes);
    }
    for (size_t n = 1; n < header->note_count; n++) {
        if (compare_notes(&header->notes[n - 1], &header->notes[n]) == 0) {
            FAIL(SCONE_ERR_INPUT, "metadata: \"%s\" occurs twice" BROKEN,
                 SHOWN(header->notes[n].key));
        }
    }
cleanup:
    return status;
}

static scone_status missing_note(const char *key)
{
    return RAISE(SCONE_ERR_INPUT,
                 "metadata: \"%s\" is missing: not written by scone, or damaged; " AGAIN, key);
}

/* Is it ours, for this purpose, of this version, and undamaged? */
static scone_status check_notes(const weights_header *header, const unsigned char *bytes,
                                const char *format)
{
    const char *found = weights_header_note(header, WEIGHTS_KEY_FORMAT);
    if (!found) return missing_note(WEIGHTS_KEY_FORMAT);
    if (strcmp(found, format) != 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "its format is \"%s\", and \"%s\" is needed here; give "
                     "another file",
                     SHOWN(found), format);
    }
    const char *version = weights_header_note(header, WEIGHTS_KEY_VERSION);
    if (!version) return missing_note(WEIGHTS_KEY_VERSION);
    char known[16];
    (void)snprintf(known, sizeof known, "%d", WEIGHTS_VERSION);
    if (strcmp(version, known) != 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "version \"%s\" of the format, and this program knows %s; use the scone that "
                     "wrote it, or a newer one",
                     SHOWN(version), known);
    }
    const char *checksum = weights_header_note(header, WEIGHTS_KEY_HEADER);
    char computed[WEIGHTS_HASH_SIZE];
    size_t digits;
    if (!checksum || !weights_header_hash(computed, &digits, bytes, header->data_start)) {
        return missing_note(WEIGHTS_KEY_HEADER);
    }
    if (strcmp(checksum, computed) != 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "checksum of the header: %s noted, %s computed: the file is damaged; " AGAIN,
                     SHOWN(checksum), computed);
    }
    return SCONE_OK;
}

/* ---- tensors ---- */

/* The member of this name, which every tensor has. */
static scone_status member_of(const cJSON **member, const cJSON *object, const char *name)
{
    *member = NULL;
    for (const cJSON *item = object->child; item; item = item->next) {
        if (strcmp(item->string, name) != 0) continue;
        if (*member) return RAISE(SCONE_ERR_INPUT, "\"%s\" occurs twice" BROKEN, name);
        *member = item;
    }
    if (!*member) return RAISE(SCONE_ERR_INPUT, "\"%s\" is missing" BROKEN, name);
    return SCONE_OK;
}

static scone_status read_type(weights_type *type, const cJSON *object)
{
    const cJSON *item;
    scone_status status = member_of(&item, object, "dtype");
    if (status != SCONE_OK) return status;
    const char *name = cJSON_IsString(item) ? item->valuestring : "";
    for (*type = WEIGHTS_F32; *type <= WEIGHTS_U64; (*type)++) {
        if (strcmp(name, weights_type_name(*type)) == 0) return SCONE_OK;
    }
    return RAISE(SCONE_ERR_INPUT, "its dtype is \"%s\"; only F32 and U64 are read", SHOWN(name));
}

static scone_status read_whole(size_t *value, const cJSON *item, const char *what)
{
    double number = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    if (!(number >= 0.0 && number <= 0x1p53) || number != floor(number)) {
        return RAISE(SCONE_ERR_INPUT, "%s is not a whole number from 0 to 2^53" BROKEN, what);
    }
    *value = (size_t)number;
    return SCONE_OK;
}

static scone_status read_shape(weights_tensor *tensor, const cJSON *object)
{
    scone_status status = SCONE_OK;
    const cJSON *shape;
    TRY(member_of(&shape, object, "shape"));
    if (!cJSON_IsArray(shape)) FAIL(SCONE_ERR_INPUT, "its shape is not a list" BROKEN);
    for (const cJSON *item = shape->child; item; item = item->next) {
        if (tensor->rank == WEIGHTS_RANK_LIMIT) {
            FAIL(SCONE_ERR_INPUT, "more than the %d dimensions allowed" BROKEN, WEIGHTS_RANK_LIMIT);
        }
        TRY(read_whole(&tensor->shape[tensor->rank], item, "a dimension of its shape"));
        tensor->rank++;
    }
cleanup:
    return status;
}

static scone_status read_offsets(size_t offsets[2], const cJSON *object)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    TRY(member_of(&list, object, "data_offsets"));
    if (!cJSON_IsArray(list) || count_members(list) != 2) {
        FAIL(SCONE_ERR_INPUT, "its data_offsets are not two numbers" BROKEN);
    }
    TRY(read_whole(&offsets[0], list->child, "its first offset"));
    TRY(read_whole(&offsets[1], list->child->next, "its second offset"));
    if (offsets[0] > offsets[1]) {
        FAIL(SCONE_ERR_INPUT, "it ends at byte %zu, before it begins at %zu" BROKEN, offsets[1],
             offsets[0]);
    }
cleanup:
    return status;
}

/* Where the values are: right after those of the tensor before it, which were at last[0..1]. */
static scone_status check_place(const weights_tensor *tensor, const size_t offsets[2],
                                const size_t last[2], size_t available)
{
    scone_status status = SCONE_OK;
    size_t bytes;
    TRY(weights_shape_bytes(&bytes, tensor));
    if (offsets[1] - offsets[0] != bytes) {
        char shape[WEIGHTS_SHAPE_SIZE];
        weights_shape_text(shape, tensor);
        FAIL(SCONE_ERR_INPUT, "its shape %s takes %zu bytes, its offsets give it %zu" BROKEN, shape,
             bytes, offsets[1] - offsets[0]);
    }
    if (offsets[0] > last[1]) {
        FAIL(SCONE_ERR_INPUT,
             "a gap: it begins at byte %zu, the tensor before it ends at %zu" BROKEN, offsets[0],
             last[1]);
    }
    if (offsets[0] < last[1]) {
        FAIL(SCONE_ERR_INPUT,
             "%s: it is at bytes %zu to %zu, the tensor before it at %zu to %zu" BROKEN,
             offsets[1] <= last[0] ? "out of order" : "it overlaps", offsets[0], offsets[1],
             last[0], last[1]);
    }
    if (offsets[0] % weights_type_bytes(tensor->type) != 0) {
        FAIL(SCONE_ERR_INPUT,
             "it begins at byte %zu, which is no multiple of its %zu bytes a value" BROKEN,
             offsets[0], weights_type_bytes(tensor->type));
    }
    if (offsets[1] > available) {
        FAIL(SCONE_ERR_INPUT,
             "truncated: it ends at byte %zu of the values, of which %zu are there; " AGAIN,
             offsets[1], available);
    }
cleanup:
    return status;
}

static scone_status read_tensor(weights_tensor *tensor, size_t last[2], const cJSON *item,
                                const unsigned char *values, size_t available)
{
    scone_status status = SCONE_OK;
    size_t offsets[2];
    *tensor = (weights_tensor){.name = item->string};
    if (!weights_name_is_good(item->string)) {
        FAIL(SCONE_ERR_INPUT,
             "its name is empty, longer than %d bytes, or has control characters" BROKEN,
             WEIGHTS_NAME_LIMIT);
    }
    if (!cJSON_IsObject(item)) FAIL(SCONE_ERR_INPUT, "not an object" BROKEN);
    TRY(read_type(&tensor->type, item));
    TRY(read_shape(tensor, item));
    TRY(read_offsets(offsets, item));
    if (count_members(item) != 3) {
        FAIL(SCONE_ERR_INPUT, "it has members other than dtype, shape and data_offsets" BROKEN);
    }
    TRY(check_place(tensor, offsets, last, available));
    tensor->data = values + offsets[0];
    last[0] = offsets[0];
    last[1] = offsets[1];
cleanup:
    if (status != SCONE_OK) status_prefix("tensor '%s'", SHOWN(item->string));
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const weights_tensor *const *first = a, *const *second = b;
    return strcmp((*first)->name, (*second)->name);
}

static scone_status sort_names(weights_header *header)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(header->by_name, header->tensor_count);
    for (size_t t = 0; t < header->tensor_count; t++) header->by_name[t] = &header->tensors[t];
    qsort(header->by_name, header->tensor_count, sizeof *header->by_name, compare_names);
    for (size_t t = 1; t < header->tensor_count; t++) {
        if (compare_names(&header->by_name[t - 1], &header->by_name[t]) == 0) {
            FAIL(SCONE_ERR_INPUT, "tensor '%s' occurs twice" BROKEN,
                 SHOWN(header->by_name[t]->name));
        }
    }
cleanup:
    return status;
}

static scone_status read_tensors(weights_header *header, const unsigned char *bytes, size_t size)
{
    scone_status status = SCONE_OK;
    size_t last[2] = {0, 0}, available = size - header->data_start;
    const unsigned char *values = bytes + header->data_start;
    TRY_ALLOC(header->tensors, count_members(header->tree));
    for (const cJSON *item = header->tree->child; item; item = item->next) {
        if (strcmp(item->string, "__metadata__") == 0) continue;
        TRY(read_tensor(&header->tensors[header->tensor_count], last, item, values, available));
        header->tensor_count++;
    }
    if (header->tensor_count == 0) FAIL(SCONE_ERR_INPUT, "there are no tensors in it" BROKEN);
    if (last[1] != available) {
        FAIL(SCONE_ERR_INPUT, "trailing bytes: %zu after the last tensor; " AGAIN,
             available - last[1]);
    }
    TRY(sort_names(header));
cleanup:
    return status;
}

/* Every tensor has a checksum, every checksum a tensor. */
static scone_status match_checksums(weights_header *header)
{
    scone_status status = SCONE_OK;
    const size_t prefix = strlen(WEIGHTS_KEY_CHECKSUM);
    TRY_ALLOC(header->checksums, header->tensor_count);
    for (size_t t = 0; t < header->tensor_count; t++) {
        char key[sizeof WEIGHTS_KEY_CHECKSUM + WEIGHTS_NAME_LIMIT];
        (void)snprintf(key, sizeof key, WEIGHTS_KEY_CHECKSUM "%s", header->tensors[t].name);
        header->checksums[t] = weights_header_note(header, key);
        if (!header->checksums[t]) {
            FAIL(SCONE_ERR_INPUT, "tensor '%s': its checksum is missing in the metadata" BROKEN,
                 SHOWN(header->tensors[t].name));
        }
    }
    for (size_t n = 0; n < header->note_count; n++) {
        const char *key = header->notes[n].key;
        if (strncmp(key, WEIGHTS_KEY_CHECKSUM, prefix) != 0) continue;
        if (!weights_header_find(header, key + prefix)) {
            FAIL(SCONE_ERR_INPUT, "tensor '%s': there is a checksum of it but no tensor" BROKEN,
                 SHOWN(key + prefix));
        }
    }
cleanup:
    return status;
}

/* ---- all of it ---- */

scone_status weights_header_parse(weights_header *header, const unsigned char *bytes, size_t size,
                                  const char *format)
{
    scone_status status = SCONE_OK;
    const cJSON *metadata = NULL;
    size_t length;
    *header = (weights_header){0};
    TRY(read_length(&length, bytes, size));
    header->data_start = 8 + length;
    TRY(parse_tree(header, bytes, length));
    for (const cJSON *item = header->tree->child; item; item = item->next) {
        if (strcmp(item->string, "__metadata__") != 0) continue;
        if (metadata) FAIL(SCONE_ERR_INPUT, "\"__metadata__\" occurs twice in the header" BROKEN);
        metadata = item;
    }
    TRY(read_notes(header, metadata));
    TRY(check_notes(header, bytes, format));
    TRY(read_tensors(header, bytes, size));
    TRY(match_checksums(header));
cleanup:
    if (status != SCONE_OK) weights_header_free(header);
    return status;
}
