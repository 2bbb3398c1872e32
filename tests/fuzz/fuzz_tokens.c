/* fuzz_tokens.c - any bytes after the header of a token file are graphs that can be used without a
 * further check, or an error. Checksums are made right first, so that what they cover is reached.
 */
#include "model/tokens/token_file_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Right checksums for every graph that is announced and there. */
static void sign_graphs(uint8_t *bytes, size_t size)
{
    token_record record;
    for (size_t at = 0; size - at >= sizeof record;) {
        memcpy(&record, bytes + at, sizeof record);
        size_t room = size - at - sizeof record;
        if (record.bytes <= room) {
            record.checksum = XXH64(bytes + at + sizeof record, (size_t)record.bytes, 0);
        }
        record.own_checksum = XXH64(&record, offsetof(token_record, own_checksum), 0);
        memcpy(bytes + at, &record, sizeof record);
        if (record.bytes > room) return;
        at += sizeof record + (size_t)record.bytes;
    }
}

/* Follows every index as the model would. */
static void use_graph(const tokens *t)
{
    double sum = 0.0;
    for (size_t c = 0; c < t->size.cells; c++) {
        uint32_t e = t->cell_pair[c];
        float ends[TOKEN_ENDPOINTS];
        for (size_t k = 0; k < 2; k++) {
            token_endpoints(ends, t->codes[c][k]);
            sum += (double)ends[0] + (double)t->pair_statistics[e][k][TOKEN_PARTIAL];
            uint32_t v = t->subset_nodes[t->cell_members[c][k]];
            if (v != t->ends[e][k]) abort();
            sum += (double)t->node_statistics[v][TOKEN_SHIFT];
        }
        for (size_t i = t->instance_offsets[c]; i < t->instance_offsets[c + 1]; i++) {
            for (size_t k = t->instance_step_offsets[i]; k < t->instance_step_offsets[i + 1]; k++) {
                sum += t->codes[t->instance_cells[k]][0];
            }
            sum += t->path_forward[t->path_step_offsets[t->instance_paths[i]]];
        }
        sum += t->codes[t->column_cells[c]][0];
    }
    for (size_t m = 0; m < t->size.members; m++) {
        for (size_t k = t->touch_offsets[m]; k < t->touch_offsets[m + 1]; k++) {
            sum += t->context[t->cell_pair[t->touch_cells[k]]];
        }
    }
    for (size_t k = 0; k < t->size.triples; k++) {
        sum += t->codes[t->triple_cells[k][0]][0] + t->codes[t->triple_cells[k][1]][1];
        sum += t->subset_nodes[t->triple_centres[k]];
    }
    for (size_t k = 0; k < (size_t)t->size.nodes * t->size.nodes; k++) {
        sum += (double)t->precision[k] + t->truth[k];
    }
    if (sum != sum) abort();
}

static void use_file(const char *path)
{
    token_file *file;
    if (token_file_open(&file, path, NULL) != SCONE_OK) return;
    for (size_t k = 0; k < token_file_count(file); k++) {
        tokens *t;
        if (token_file_read(&t, file, k) != SCONE_OK) continue;
        use_graph(t);
        tokens_free(t);
    }
    token_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    token_file_header header;
    token_file *file;
    char path[64];
    uint8_t *bytes = mem_alloc(size, 1);
    int descriptor = memfd_create("tokens", 0);
    if (!bytes || descriptor < 0) abort();
    if (size > 0) memcpy(bytes, data, size);
    sign_graphs(bytes, size);
    token_file_header_fill(&header, "fuzz");
    if (write(descriptor, &header, sizeof header) != (ssize_t)sizeof header ||
        write(descriptor, bytes, size) != (ssize_t)size) {
        abort();
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    use_file(path);
    /* A writer goes on after what is sound, and what it leaves has no rest. */
    if (token_file_continue(&file, path, "fuzz", NULL) != SCONE_OK) abort();
    if (token_file_rest(file) != 0) abort();
    token_file_close(file);
    use_file(path);
    (void)close(descriptor);
    mem_free(bytes);
    return 0;
}
