/* token_file_parts.h - the two headers of a token file (see token_file.h). */
#ifndef SCONE_MODEL_TOKENS_TOKEN_FILE_PARTS_H
#define SCONE_MODEL_TOKENS_TOKEN_FILE_PARTS_H

#include "model/tokens/token_file.h"

enum { TOKEN_FILE_VERSION = 4, TOKEN_FILE_ORDER = 0x01020304 };

typedef struct token_file_header {
    char magic[8];
    uint32_t version;
    uint32_t order;       /* TOKEN_FILE_ORDER in the order of bytes of the machine */
    uint64_t description; /* XXH64 of the text */
    char text[TOKEN_FILE_DESCRIPTION];
    uint64_t reserved; /* 0 */
    uint64_t checksum; /* of everything before it */
} token_file_header;

typedef struct token_record {
    char magic[8];
    uint64_t bytes;    /* of the block, which follows */
    uint64_t checksum; /* of the block */
    uint64_t graph, seed;
    token_sizes size;
    uint32_t labelled;     /* 0 or 1 */
    uint32_t reserved[8];  /* 0 */
    uint64_t own_checksum; /* of everything before it */
} token_record;

_Static_assert(sizeof(token_file_header) == 1024, "the file header has no holes");
_Static_assert(sizeof(token_record) == 128, "the header of a graph has no holes");

void token_file_header_fill(token_file_header *header, const char *description);
scone_status token_file_header_check(const token_file_header *header);

void token_record_fill(token_record *record, const tokens *t);
/* Is this the header of a graph that fits into `room` bytes, itself included? */
scone_status token_record_check(const token_record *record, uint64_t room);
/* Tokens of the record's sizes, whose block is to be filled. */
scone_status token_record_tokens(tokens **out, const token_record *record);
/* Does the filled block belong to the record, and is it sound? */
scone_status token_record_verify(const token_record *record, const tokens *t);

#endif
