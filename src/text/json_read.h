/* json_read.h - members of JSON objects with the checks that a damaged file needs. Messages name
 * the member; callers add the place.
 */
#ifndef SCONE_TEXT_JSON_READ_H
#define SCONE_TEXT_JSON_READ_H

#include "base/arena.h"

#include <cJSON.h>

/* The whole file, checked and parsed; free with cJSON_Delete. */
scone_status json_load(cJSON **root, const char *path);

/* The member, of this kind; absent or of another kind is SCONE_ERR_INPUT. */
scone_status json_list(const cJSON **list, const cJSON *object, const char *name);
scone_status json_object_of(const cJSON **member, const cJSON *object, const char *name);
scone_status json_string(const char **text, const cJSON *object, const char *name);
scone_status json_double(double *value, const cJSON *object, const char *name);
/* A whole number from `least` to `most`. */
scone_status json_whole(size_t *value, const cJSON *object, const char *name, size_t least,
                        size_t most);
/* The same for an element of a list. */
scone_status json_element(size_t *value, const cJSON *item, size_t least, size_t most);
/* 16 hex digits. */
scone_status json_hash(uint64_t *value, const cJSON *object, const char *name);
size_t json_length(const cJSON *list);
/* A member that may be absent or null. */
const cJSON *json_optional(const cJSON *object, const char *name);

#endif
