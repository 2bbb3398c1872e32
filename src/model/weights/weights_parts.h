/* weights_parts.h - what the files of weights.h share: the parsed header and the rules for names.
 *
 * Internal to weights_*.c, the tests and the fuzz target.
 */
#ifndef SCONE_MODEL_WEIGHTS_WEIGHTS_PARTS_H
#define SCONE_MODEL_WEIGHTS_WEIGHTS_PARTS_H

#include "model/weights/weights.h"

#include <cJSON.h>

/* Metadata that the writer makes itself. */
#define WEIGHTS_KEY_FORMAT   "format"
#define WEIGHTS_KEY_VERSION  "version"
#define WEIGHTS_KEY_HEADER   "header_xxh64"
#define WEIGHTS_KEY_CHECKSUM "xxh64." /* + name of the tensor */

enum { WEIGHTS_HASH_SIZE = 17 }; /* 16 hex digits and NUL */

typedef struct weights_header {
    cJSON *tree;                    /* owns every text below */
    weights_tensor *tensors;        /* in the order of the file */
    const char **checksums;         /* of each */
    const weights_tensor **by_name; /* in the order of their names */
    size_t tensor_count;
    weights_note *notes; /* in the order of their keys */
    size_t note_count;
    size_t data_start; /* of the values, in the file */
} weights_header;

/* Reads and checks everything but the values. On failure nothing is left to free. */
scone_status weights_header_parse(weights_header *header, const unsigned char *bytes, size_t size,
                                  const char *format);
void weights_header_free(weights_header *header);

const char *weights_header_note(const weights_header *header, const char *key);
const weights_tensor *weights_header_find(const weights_header *header, const char *name);

/* XXH64 of `size` bytes as text. */
void weights_hash(char out[WEIGHTS_HASH_SIZE], const void *bytes, size_t size);
/* XXH64 of the first 8 + length bytes of a file, with zeros for the 16 digits of the hash itself;
 * *digits is where these are in the file. false if they are not there. */
bool weights_header_hash(char out[WEIGHTS_HASH_SIZE], size_t *digits, const unsigned char *bytes,
                         size_t size);

size_t weights_type_bytes(weights_type type);
const char *weights_type_name(weights_type type); /* "F32" */
/* "[64, 3]" */
enum { WEIGHTS_SHAPE_SIZE = 24 * WEIGHTS_RANK_LIMIT };
void weights_shape_text(char out[WEIGHTS_SHAPE_SIZE], const weights_tensor *tensor);
/* Bytes of the values, from rank, shape and type; a message without the tensor's name. */
scone_status weights_shape_bytes(size_t *bytes, const weights_tensor *tensor);
/* UTF-8 without control characters, which could play with the terminal it is printed to. */
bool weights_text_is_plain(const char *text);
/* Plain, and of a length from 1 to WEIGHTS_NAME_LIMIT. */
bool weights_name_is_good(const char *name);

#endif
