/* cmd_discover_many.h - what changed in several conditions as a user is told about it: a short
 * table, or members of JSON.
 */
#ifndef SCONE_CLI_CMD_DISCOVER_MANY_H
#define SCONE_CLI_CMD_DISCOVER_MANY_H

#include "cmd_discover_found.h"
#include "labels.h"
#include "printing.h"

/* variables: labels of the variables. Returns an exit code. */
int found_many_text(FILE *stream, const scone_result *result, const found_request *request,
                    const label_list *variables);
void found_many_json(json *j, const scone_result *result);

#endif
