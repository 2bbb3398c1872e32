/* memory_limit.h - how much memory a run may take: --memory, or what this machine allows. */
#ifndef SCONE_CLI_MEMORY_LIMIT_H
#define SCONE_CLI_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* "800M", "2.5G", "1e9": bytes with K, M, G or T (powers of 1000) and B or nothing behind; false if
 * it is none of these or below a megabyte. */
bool memory_limit_parse(size_t *bytes, const char *text);
/* Nine tenths of what the machine, the limits of the process (ulimit -v, -d) and its control group
 * allow at most; 0 if nothing is known. */
size_t memory_limit_default(void);

#endif
