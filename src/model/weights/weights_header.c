/* weights_header.c - what readers and writers of weight files share, and the access to a parsed
 * header (see weights_parts.h; weights_parse.c fills one).
 */
#include "model/weights/weights_parts.h"

#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "weight files are mapped as they are, which needs a little-endian machine"
#endif

/* ---- names and shapes ---- */

bool weights_text_is_plain(const char *text)
{
    const char *end = text + strlen(text);
    while (text < end) {
        uint32_t character = text_next(&text, end); /* UINT32_MAX: not UTF-8 */
        if (character < 0x20 || (character >= 0x7f && character < 0xa0)) return false;
        if (character == UINT32_MAX) return false;
    }
    return true;
}

bool weights_name_is_good(const char *name)
{
    return *name && strlen(name) <= WEIGHTS_NAME_LIMIT && weights_text_is_plain(name);
}

size_t weights_type_bytes(weights_type type)
{
    return type == WEIGHTS_U64 ? 8 : 4;
}

const char *weights_type_name(weights_type type)
{
    return type == WEIGHTS_U64 ? "U64" : "F32";
}

void weights_shape_text(char out[WEIGHTS_SHAPE_SIZE], const weights_tensor *tensor)
{
    int used = snprintf(out, WEIGHTS_SHAPE_SIZE, "[");
    for (size_t r = 0; r < tensor->rank; r++) {
        used += snprintf(out + used, WEIGHTS_SHAPE_SIZE - (size_t)used, "%s%zu", r ? ", " : "",
                         tensor->shape[r]);
    }
    (void)snprintf(out + used, WEIGHTS_SHAPE_SIZE - (size_t)used, "]");
}

scone_status weights_shape_bytes(size_t *bytes, const weights_tensor *tensor)
{
    size_t product = weights_type_bytes(tensor->type);
    *bytes = 0;
    if (tensor->rank > WEIGHTS_RANK_LIMIT) {
        return RAISE(SCONE_ERR_INPUT, "%zu dimensions, more than the %d allowed", tensor->rank,
                     WEIGHTS_RANK_LIMIT);
    }
    for (size_t r = 0; r < tensor->rank; r++) {
        if (tensor->shape[r] == 0) {
            return RAISE(SCONE_ERR_INPUT, "dimension %zu is 0; every tensor has values", r + 1);
        }
        if (!size_multiply(&product, product, tensor->shape[r])) {
            return RAISE(SCONE_ERR_INPUT, "its shape has more values than any computer holds");
        }
    }
    *bytes = product;
    return SCONE_OK;
}

size_t weights_values(const weights_tensor *tensor)
{
    size_t values = 1;
    for (size_t r = 0; r < tensor->rank; r++) values *= tensor->shape[r];
    return values;
}

/* ---- checksums ---- */

static void format_hash(char out[WEIGHTS_HASH_SIZE], uint64_t hash)
{
    (void)snprintf(out, WEIGHTS_HASH_SIZE, "%016" PRIx64, hash);
}

void weights_hash(char out[WEIGHTS_HASH_SIZE], const void *bytes, size_t size)
{
    format_hash(out, XXH64(bytes, size, 0));
}

/* Not inlined: with constant sizes gcc warns about code of xxhash that is never reached. */
__attribute__((noinline)) static void feed(XXH64_state_t *state, const void *bytes, size_t size)
{
    (void)XXH64_update(state, bytes, size);
}

bool weights_header_hash(char out[WEIGHTS_HASH_SIZE], size_t *digits, const unsigned char *bytes,
                         size_t size)
{
    /* Inside a JSON string the quotes would have backslashes before them, so this is a member. */
    static const char member[] = "\"" WEIGHTS_KEY_HEADER "\":\"";
    static const char zeros[] = "0000000000000000";
    const unsigned char *at = memmem(bytes, size, member, sizeof member - 1);
    if (!at) return false;
    *digits = (size_t)(at - bytes) + sizeof member - 1;
    size_t rest = *digits + WEIGHTS_HASH_SIZE - 1;
    if (rest > size) return false;
    XXH64_state_t state;
    (void)XXH64_reset(&state, 0);
    feed(&state, bytes, *digits);
    feed(&state, zeros, WEIGHTS_HASH_SIZE - 1);
    feed(&state, bytes + rest, size - rest);
    format_hash(out, XXH64_digest(&state));
    return true;
}

/* ---- access ---- */

const char *weights_header_note(const weights_header *header, const char *key)
{
    size_t low = 0, high = header->note_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(key, header->notes[middle].key);
        if (order == 0) return header->notes[middle].value;
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const weights_tensor *weights_header_find(const weights_header *header, const char *name)
{
    size_t low = 0, high = header->tensor_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, header->by_name[middle]->name);
        if (order == 0) return header->by_name[middle];
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

void weights_header_free(weights_header *header)
{
    cJSON_Delete(header->tree);
    mem_free(header->tensors);
    mem_free(header->checksums);
    mem_free(header->by_name);
    mem_free(header->notes);
    *header = (weights_header){0};
}
