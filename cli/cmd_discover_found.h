/* cmd_discover_found.h - the result of a discovery as a user is told about it: short text, or JSON.
 */
#ifndef SCONE_CLI_CMD_DISCOVER_FOUND_H
#define SCONE_CLI_CMD_DISCOVER_FOUND_H

#include "scone.h"

/* What was asked for, as far as the result is told by it. */
typedef struct found_request {
    const char *folder;
    double alpha, threshold;
    size_t rows[2];
} found_request;

/* Both return an exit code. */
int found_text(FILE *stream, const scone_result *result, const found_request *request);
int found_json(FILE *stream, const scone_result *result, const found_request *request);

#endif
