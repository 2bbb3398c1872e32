/* csv.h - tables from delimited text; docs/reference/formats.md, section "Tables", is the contract.
 *
 * The text is streamed through one buffer (plain or gzip), numbers are parsed where they lie and
 * stored column by column, so that memory stays near the size of the table. Cost: O(bytes).
 */
#ifndef SCONE_DATA_CSV_H
#define SCONE_DATA_CSV_H

#include "data/table.h"

/* options and context may be NULL. */
scone_status csv_read(scone_table **out, const char *path, const scone_read_options *options,
                      const scone_context *context);

/* Also keeps the column named label_column, as text and not as part of the table: one label per
 * row of the table in *labels; free each of them and the array with mem_free. A missing label
 * (empty, NA, NaN, null) is treated like a missing cell. */
scone_status csv_read_labelled(scone_table **out, char ***labels, const char *label_column,
                               const char *path, const scone_read_options *options,
                               const scone_context *context);

/* The same from memory, for tests and the fuzz target. The buffer starts with `chunk` bytes (0: the
 * usual size), so that a small chunk splits the text there. label_column may be NULL, and labels
 * with it. Messages name no file. */
scone_status csv_parse(scone_table **out, char ***labels, const char *label_column,
                       const char *bytes, size_t size, size_t chunk,
                       const scone_read_options *options, const scone_context *context);

#endif
