/* learned_data.h - weight files of small models with random values, so that learned presets run in
 * tests of the pipeline without a training. */
#ifndef SCONE_TESTS_LEARNED_DATA_H
#define SCONE_TESTS_LEARNED_DATA_H

#include "testing.h"

#include "base/rng.h"
#include "model/setup/parameters.h"

#include <stdlib.h>
#include <unistd.h>

#define LEARNED_VALIDATION "{\"temperature\":1.25,\"threshold\":0.35}"

static inline model_config learned_config(const char *preset)
{
    model_config config;
    CHECK_OK(config_preset(&config, preset));
    config.width = 16;
    config.blocks = 2;
    config.heads = 2;
    config.feed_forward = 24;
    config.bootstraps = 3;
    config.subset_size = 4;
    config.subsets_min = 3;
    config.cells_per_pair = 1.0;
    return config;
}

/* Writes the file; its values are large enough for probabilities of all sizes. */
static inline void learned_write(const char *path, const model_config *config, const char *preset,
                                 const char *validation, uint64_t seed)
{
    parameter_layout *layout;
    char *text;
    CHECK_OK(parameters_layout_make(&layout, config));
    CHECK_OK(config_print(&text, config));
    float *values = malloc(layout->count * sizeof *values);
    weights_tensor *tensors = malloc(layout->list_count * sizeof *tensors);
    CHECK(values && tensors);
    parameters_start(values, layout, seed);
    rng r = rng_stream(seed, RNG_TEST, 0, 0, 0);
    for (size_t k = 0; k < layout->count; k++) values[k] += 0.3f * (float)rng_normal(&r);
    parameters_tensors(tensors, layout, values);
    const weights_note notes[] = {{WEIGHTS_CONFIG, text},
                                  {WEIGHTS_PRESET, preset},
                                  {WEIGHTS_COMMAND, "scone train"},
                                  {WEIGHTS_COMMIT, "0123456789ab"},
                                  {WEIGHTS_DATA, "0123456789abcdef"},
                                  {WEIGHTS_VALIDATION, validation}};
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_MODEL, tensors, layout->list_count, notes,
                           sizeof notes / sizeof *notes));
    free(values);
    free(tensors);
    mem_free(text);
    parameters_layout_free(layout);
}

/* A file for the preset, made once; NULL if it needs none. The text lives until the next call. */
static inline const char *learned_file(const char *preset)
{
    static char path[64];
    if (!scone_preset_learned(preset)) return NULL;
    (void)snprintf(path, sizeof path, "learned_%ld_%s.safetensors", (long)getpid(), preset);
    model_config config = learned_config(preset);
    if (access(path, F_OK) != 0) learned_write(path, &config, preset, LEARNED_VALIDATION, 7);
    return path;
}

/* Removes what learned_file left. */
static inline int learned_clean(void **state)
{
    (void)state;
    for (const char *const *preset = scone_preset_names(); *preset; preset++) {
        char path[64];
        (void)snprintf(path, sizeof path, "learned_%ld_%s.safetensors", (long)getpid(), *preset);
        (void)unlink(path);
    }
    return 0;
}

#endif
