/* comparison.h - the result of scone bench as a table or as JSON. */
#ifndef SCONE_CLI_COMPARISON_H
#define SCONE_CLI_COMPARISON_H

#include "scone_lab.h"

/* Of the settings and methods that the benchmark was run with; return an exit code. */
int comparison_print(const scone_bench *bench, const scone_setting *settings, size_t count,
                     const char *const *methods, size_t method_count);
int comparison_json(const scone_bench *bench, const scone_setting *settings, size_t count,
                    const char *const *methods, size_t method_count);

#endif
