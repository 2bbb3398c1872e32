/* json_check.h - a strict check of JSON text, before cJSON makes a tree of it. */
#ifndef SCONE_TEXT_JSON_CHECK_H
#define SCONE_TEXT_JSON_CHECK_H

#include "base/status.h"

/* Checks [text, text + size) against RFC 8259: one value, UTF-8, nesting and number of values
 * within the limits of format.h. What passes here cJSON parses, unless memory runs out. */
scone_status json_check(const char *text, size_t size);

#endif
