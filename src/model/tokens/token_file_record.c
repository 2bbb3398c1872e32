/* token_file_record.c - headers of token files and what they promise (see token_file_parts.h). */
#include "model/tokens/token_file_parts.h"

#include <stddef.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char file_magic[8] = {'S', 'C', 'O', 'N', 'E', 'T', 'O', 'K'};
static const char record_magic[8] = {'T', 'O', 'K', 'G', 'R', 'A', 'P', 'H'};

/* ---- the file's ---- */

static uint64_t file_checksum(const token_file_header *header)
{
    return XXH64(header, offsetof(token_file_header, checksum), 0);
}

void token_file_header_fill(token_file_header *header, const char *description)
{
    size_t length = strlen(description);
    memset(header, 0, sizeof *header);
    memcpy(header->magic, file_magic, sizeof file_magic);
    header->version = TOKEN_FILE_VERSION;
    header->order = TOKEN_FILE_ORDER;
    if (length >= sizeof header->text) length = sizeof header->text - 1;
    memcpy(header->text, description, length);
    header->description = XXH64(description, strlen(description), 0);
    header->checksum = file_checksum(header);
}

scone_status token_file_header_check(const token_file_header *header)
{
    if (memcmp(header->magic, file_magic, sizeof file_magic) != 0) {
        return RAISE(SCONE_ERR_INPUT, "not a token file; name another");
    }
    if (header->order != TOKEN_FILE_ORDER) {
        return RAISE(SCONE_ERR_INPUT, "token file of a machine with another order of bytes, or "
                                      "damaged; delete it, it will be made anew");
    }
    if (header->version != TOKEN_FILE_VERSION) {
        return RAISE(SCONE_ERR_INPUT,
                     "token file of version %lu, this program has version %d; delete it, it will "
                     "be made anew",
                     (unsigned long)header->version, (int)TOKEN_FILE_VERSION);
    }
    bool ends = memchr(header->text, '\0', sizeof header->text) != NULL;
    if (header->checksum != file_checksum(header) || header->reserved != 0 || !ends) {
        return RAISE(SCONE_ERR_INPUT,
                     "the header does not match its checksum; delete the file, it will be made "
                     "anew");
    }
    return SCONE_OK;
}

/* ---- a graph's ---- */

static uint64_t record_checksum(const token_record *record)
{
    return XXH64(record, offsetof(token_record, own_checksum), 0);
}

void token_record_fill(token_record *record, const tokens *t)
{
    memset(record, 0, sizeof *record);
    memcpy(record->magic, record_magic, sizeof record_magic);
    record->bytes = t->bytes;
    record->checksum = XXH64(t->block, t->bytes, 0);
    record->graph = t->graph;
    record->seed = t->seed;
    record->size = t->size;
    record->labelled = t->labelled;
    record->own_checksum = record_checksum(record);
}

scone_status token_record_check(const token_record *record, uint64_t room)
{
    scone_status status = SCONE_OK;
    static const uint32_t zeros[8] = {0};
    if (memcmp(record->magic, record_magic, sizeof record_magic) != 0) {
        FAIL(SCONE_ERR_INPUT, "there is no graph here");
    }
    if (record->own_checksum != record_checksum(record)) {
        FAIL(SCONE_ERR_INPUT, "its header does not match its checksum");
    }
    if (record->labelled > 1 || memcmp(record->reserved, zeros, sizeof zeros) != 0) {
        FAIL(SCONE_ERR_INPUT, "its header holds what this version does not know");
    }
    TRY(token_sizes_check(&record->size));
    if (record->bytes != token_sizes_bytes(&record->size)) {
        FAIL(SCONE_ERR_INPUT, "its sizes do not add up to its %llu bytes",
             (unsigned long long)record->bytes);
    }
    if (room < sizeof *record || record->bytes > room - sizeof *record) {
        FAIL(SCONE_ERR_INPUT, "truncated: %llu bytes are announced, %llu are there",
             (unsigned long long)record->bytes,
             (unsigned long long)(room < sizeof *record ? 0 : room - sizeof *record));
    }
cleanup:
    return status;
}

scone_status token_record_tokens(tokens **out, const token_record *record)
{
    scone_status status = tokens_alloc(out, &record->size);
    if (status != SCONE_OK) return status;
    (*out)->graph = record->graph;
    (*out)->seed = record->seed;
    (*out)->labelled = record->labelled != 0;
    return SCONE_OK;
}

scone_status token_record_verify(const token_record *record, const tokens *t)
{
    if (record->checksum != XXH64(t->block, t->bytes, 0)) {
        return RAISE(SCONE_ERR_INPUT, "its bytes do not match their checksum");
    }
    return tokens_check(t);
}
