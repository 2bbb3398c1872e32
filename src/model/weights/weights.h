/* weights.h - named arrays with metadata in one file: weights of a model, checkpoints of a
 * training.
 *
 * The format is safetensors: 8 bytes with the length of the header (little-endian), the header
 * (JSON, padded with spaces), the values. docs/reference/formats.md has what scone adds: metadata
 * that every file has, checksums of the header and of every tensor, and stricter rules.
 *
 * Writing is atomic and gives the same bytes for the same content, whatever the order in which the
 * tensors are passed. Reading maps the file, believes nothing in it, and after that hands out
 * pointers into the map: opening costs one pass over the bytes and no copy.
 * A file must not be changed in place while it is open; weights_write replaces it by rename, which
 * is safe.
 */
#ifndef SCONE_MODEL_WEIGHTS_WEIGHTS_H
#define SCONE_MODEL_WEIGHTS_WEIGHTS_H

#include "base/memory.h"
#include "io/input_list.h"

enum {
    WEIGHTS_VERSION = 1,
    WEIGHTS_HEADER_LIMIT = 1 << 20, /* bytes, padding included; room for some 8,000 tensors */
    WEIGHTS_ALIGNMENT = 64,         /* the values start at a multiple of this */
    WEIGHTS_RANK_LIMIT = 8,
    WEIGHTS_NAME_LIMIT = 127 /* bytes of a tensor's name and of a key */
};

/* What a file is for: the value of "format" in its metadata. */
#define WEIGHTS_FORMAT_MODEL      "scone-weights"
#define WEIGHTS_FORMAT_CHECKPOINT "scone-checkpoint"

/* Keys of the metadata that every scone-weights file has. Values are text. */
#define WEIGHTS_CONFIG     "config"     /* JSON of config.h */
#define WEIGHTS_PRESET     "preset"     /* "paper", ... */
#define WEIGHTS_COMMAND    "command"    /* the command line that trained it */
#define WEIGHTS_COMMIT     "commit"     /* of the sources that trained it */
#define WEIGHTS_DATA       "data_xxh64" /* hash of the training data, 16 hex digits */
#define WEIGHTS_VALIDATION "validation" /* JSON object: name of a score -> number */

typedef enum weights_type {
    WEIGHTS_F32 = 0, /* float; finite */
    WEIGHTS_U64 = 1  /* uint64_t */
} weights_type;

typedef struct weights_tensor {
    const char *name;
    weights_type type;
    size_t rank; /* 0: a single value */
    size_t shape[WEIGHTS_RANK_LIMIT];
    const void *data; /* row-major; not looked at in a list of expected tensors */
} weights_tensor;

/* One entry of the metadata. */
typedef struct weights_note {
    const char *key, *value;
} weights_note;

/* Values of a tensor: the product of its shape. Only for tensors that were checked. */
size_t weights_values(const weights_tensor *tensor);

/* ---- writing ---- */

/* Writes the tensors and notes to `path`, complete or not at all. Names and keys are unique UTF-8
 * text of 1 to WEIGHTS_NAME_LIMIT bytes, no text has control characters, and the keys "format",
 * "version", "header_xxh64" and "xxh64.*" are made here. A float that is not finite is
 * SCONE_ERR_INPUT: weights that diverged are not kept. Everything is checked before the file is
 * touched. Cost: two passes over the values, memory for the header. */
scone_status weights_write(const char *path, const char *format, const weights_tensor *tensors,
                           size_t tensor_count, const weights_note *notes, size_t note_count);

/* ---- reading ---- */

typedef struct weights weights;

/* Maps and checks the whole file, which must be of this format (WEIGHTS_FORMAT_...). A damaged or
 * wrong file is SCONE_ERR_INPUT, one that cannot be read SCONE_ERR_IO. */
scone_status weights_open(weights **out, const char *path, const char *format);
/* The same for bytes in memory, 8-byte aligned, which must outlive *out; messages have no path. */
scone_status weights_parse(weights **out, const unsigned char *bytes, size_t size,
                           const char *format);
void weights_free(weights *w);

/* The file holds these tensors (name, type and shape), in any order, and no others. */
scone_status weights_expect(const weights *w, const weights_tensor *expected, size_t count);

/* Tensors in the order of the file (uint64_t before float, each by name); pointers live as long as
 * w. Data are aligned to their type; the first tensor to WEIGHTS_ALIGNMENT. */
size_t weights_count(const weights *w);
const weights_tensor *weights_get(const weights *w, size_t index);
/* By name, in logarithmic time; NULL if there is none, or none of this type. */
const weights_tensor *weights_find(const weights *w, const char *name);
const float *weights_floats(const weights *w, const char *name);
const uint64_t *weights_words(const weights *w, const char *name);

/* The value of a key, NULL if there is none; weights_need makes that an error. */
const char *weights_text(const weights *w, const char *key);
scone_status weights_need(const char **value, const weights *w, const char *key);
size_t weights_bytes(const weights *w);     /* of the file */
const char *weights_path(const weights *w); /* "" after weights_parse */
/* Notes the file with the bytes that its values came from. */
scone_status weights_note_input(input_list *inputs, const weights *w);

#endif
