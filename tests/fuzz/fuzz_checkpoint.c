/* fuzz_checkpoint.c - any bytes are a checkpoint that a training can go on from, or an error that
 * leaves the state as it was.
 *
 * The input is tried as it is, and again with the checksums of tensors and header made to fit,
 * which no mutation would hit by itself. */
#include "model/weights/weights_parts.h"
#include "train/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COUNT = 3, STEPS = 100 };

/* Right checksums for the tensors of a header that can be read; false if nothing changed. */
static bool sign(unsigned char *bytes, size_t size)
{
    weights_header header;
    char hash[WEIGHTS_HASH_SIZE];
    size_t digits, length = size >= 2 ? (size_t)(bytes[0] | bytes[1] << 8) + 8 : 0;
    if (length > size || !weights_header_hash(hash, &digits, bytes, length)) return false;
    memcpy(bytes + digits, hash, WEIGHTS_HASH_SIZE - 1);
    if (weights_header_parse(&header, bytes, size, WEIGHTS_FORMAT_CHECKPOINT) != SCONE_OK) {
        return true;
    }
    for (size_t t = 0; t < header.tensor_count; t++) {
        const weights_tensor *tensor = &header.tensors[t];
        char key[2 * WEIGHTS_NAME_LIMIT];
        int used = snprintf(key, sizeof key, "\"%s%s\":\"", WEIGHTS_KEY_CHECKSUM, tensor->name);
        unsigned char *at = memmem(bytes, length, key, (size_t)used);
        if (!at || (size_t)(at - bytes) + (size_t)used + WEIGHTS_HASH_SIZE > length) continue;
        weights_hash(hash, tensor->data, weights_values(tensor) * weights_type_bytes(tensor->type));
        memcpy(at + used, hash, WEIGHTS_HASH_SIZE - 1);
    }
    weights_header_free(&header);
    if (weights_header_hash(hash, &digits, bytes, length)) {
        memcpy(bytes + digits, hash, WEIGHTS_HASH_SIZE - 1);
    }
    return true;
}

/* What a training relies on. */
static void check_state(const train_state *s)
{
    if (s->o->step > STEPS || s->best_step > s->o->step || s->stale > s->o->step) abort();
    if (!(s->best_loss >= 0.0) || s->curves.count == 0) abort();
    for (size_t r = 0; r < s->curves.count; r++) {
        for (size_t c = 0; c < HISTORY_COLUMNS; c++) {
            if (!isfinite(s->curves.rows[r][c])) abort();
        }
    }
    for (size_t k = 0; k < COUNT; k++) {
        if (!isfinite(s->o->weights[k]) || !isfinite(s->o->moment2[k]) || !isfinite(s->best[k])) {
            abort();
        }
    }
}

static void try(const unsigned char *bytes, size_t size)
{
    static char command[] = "scone train", config[] = "{}";
    const parameter_layout layout = {.count = COUNT};
    float values[5][COUNT];
    optimizer o = {.layout = &layout,
                   .step = 7,
                   .weights = values[0],
                   .moment1 = values[1],
                   .moment2 = values[2],
                   .average = values[3]};
    train_state state = {.o = &o, .best = values[4], .best_loss = 1.0};
    const train_plan plan = {.command = command, .config_text = config, .steps = STEPS};
    weights *w;
    uint64_t data;
    memset(values, 0, sizeof values);
    if (weights_parse(&w, bytes, size, WEIGHTS_FORMAT_CHECKPOINT) != SCONE_OK) return;
    if (checkpoint_take(&state, &data, w, &plan) == SCONE_OK) {
        check_state(&state);
    } else if (o.step != 7 || state.curves.count != 0 || values[0][0] != 0.0f) {
        abort();
    }
    history_clear(&state.curves);
    weights_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* an exact, aligned copy, so that a read beyond it is seen */
    unsigned char *bytes = mem_alloc(size, 1);
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    try(bytes, size);
    if (sign(bytes, size)) try(bytes, size);
    mem_free(bytes);
    return 0;
}
