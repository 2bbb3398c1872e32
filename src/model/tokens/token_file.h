/* token_file.h - tokens of many graphs in one file, kept for training.
 *
 * Layout, numbers in the order of bytes of the machine (the header says which):
 *   file header   1,024 bytes: magic "SCONETOK", version, order mark, description, checksum
 *   per graph     128 bytes: magic, sizes, graph, seed, checksums; then the block of tokens.h
 * The description is a text on how the tokens were made (token_options_text, and where the tables
 * come from); a writer with another one is refused. Its first 983 bytes are kept, all are compared.
 * Checksums are XXH64, one over each header and one over each block.
 *
 * Graphs are appended. A writer that is stopped leaves a file whose complete graphs can be read;
 * what follows them is reported and overwritten by the next writer. A reader trusts nothing: sizes
 * are compared with the file's before anything is allocated, and tokens_check looks at every index.
 * Messages name the file, the graph (from 1) and what to do.
 */
#ifndef SCONE_MODEL_TOKENS_TOKEN_FILE_H
#define SCONE_MODEL_TOKENS_TOKEN_FILE_H

#include "base/context.h"
#include "model/tokens/tokens.h"

enum { TOKEN_FILE_DESCRIPTION = 984 }; /* with the final NUL */

typedef struct token_file token_file;

/* Opens for reading and finds the complete graphs by their headers alone. A rest that is no
 * complete graph is a warning. */
scone_status token_file_open(token_file **out, const char *path, const scone_context *context);
/* Opens for appending; creates the file if there is none. Graphs that are there stay, a rest goes,
 * with a warning; the last graph is checked whole. Fails with SCONE_ERR_INPUT if the file was
 * made with another description, with SCONE_ERR_IO if another writer has it open. */
scone_status token_file_continue(token_file **out, const char *path, const char *description,
                                 const scone_context *context);

size_t token_file_count(const token_file *file); /* complete graphs */
size_t token_file_rest(const token_file *file);  /* bytes after them; 0 for a writer */
const char *token_file_description(const token_file *file);

/* Graph `index`, from 0, in new memory. Several threads may read at once. */
scone_status token_file_read(tokens **out, const token_file *file, size_t index);
/* Appends one graph; if that fails the file is as it was before. */
scone_status token_file_append(token_file *file, const tokens *t);
/* Brings what was appended to the disk, closes and frees, also on failure; *file becomes NULL. */
scone_status token_file_finish(token_file **file);
/* Closes and frees; NULL is fine. */
void token_file_close(token_file *file);

#endif
