/* fuzz_weights.c - any bytes are a weights file whose values can all be read, or an error.
 *
 * The input is tried as it is, and again with the checksum of its header made to fit, which no
 * mutation would hit by itself. */
#include "model/setup/config.h"
#include "model/weights/weights_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_config(const weights *w)
{
    model_config config, again;
    char *text;
    const char *noted = weights_text(w, WEIGHTS_CONFIG);
    if (!noted || config_parse(&config, noted, strlen(noted)) != SCONE_OK) return;
    if (config_print(&text, &config) != SCONE_OK) abort();
    if (config_parse(&again, text, strlen(text)) != SCONE_OK) abort();
    for (size_t f = 0; f < config_field_count(); f++) {
        const config_field *field = config_field_get(f);
        if (!(config_field_number(&config, field) == config_field_number(&again, field))) abort();
    }
    mem_free(text);
}

static void try(const unsigned char *bytes, size_t size)
{
    weights *w;
    if (weights_parse(&w, bytes, size, WEIGHTS_FORMAT_MODEL) != SCONE_OK) {
        if (w || !scone_error_message()[0]) abort();
        return;
    }
    for (size_t t = 0; t < weights_count(w); t++) {
        const weights_tensor *tensor = weights_get(w, t);
        if (weights_find(w, tensor->name) != tensor) abort();
        if ((const unsigned char *)tensor->data < bytes) abort();
        const float *values = weights_floats(w, tensor->name);
        for (size_t i = 0; values && i < weights_values(tensor); i++) {
            if (!isfinite(values[i])) abort();
        }
        const uint64_t *words = weights_words(w, tensor->name);
        size_t ones = 0; /* every value is read */
        for (size_t i = 0; words && i < weights_values(tensor); i++) ones += words[i] & 1;
        if ((values == NULL) == (words == NULL) || ones > size / 8) abort();
    }
    if (weights_expect(w, weights_get(w, 0), weights_count(w)) != SCONE_OK) abort();
    read_config(w);
    weights_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* an exact, aligned copy, so that a read beyond it is seen */
    unsigned char *bytes = mem_alloc(size, 1);
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    try(bytes, size);
    char hash[WEIGHTS_HASH_SIZE];
    size_t digits, length = size >= 2 ? (size_t)(bytes[0] | bytes[1] << 8) + 8 : 0;
    if (length <= size && weights_header_hash(hash, &digits, bytes, length)) {
        memcpy(bytes + digits, hash, WEIGHTS_HASH_SIZE - 1);
        try(bytes, size);
    }
    mem_free(bytes);
    return 0;
}
