/* json_read.c - members of JSON objects, checked (see json_read.h). */
#include "text/json_read.h"

#include "io/file.h"
#include "text/limits.h"
#include "text/json_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

scone_status json_load(cJSON **root, const char *path)
{
    scone_status status = SCONE_OK;
    char *text = NULL;
    size_t size;
    *root = NULL;
    TRY(file_read_all(&text, &size, path, TEXT_FILE_LIMIT));
    status = json_check(text, size);
    if (status != SCONE_OK) {
        status_prefix("%s", path);
        goto cleanup;
    }
    *root = cJSON_ParseWithLength(text, size);
    if (!*root) FAIL(SCONE_ERR_MEMORY, "out of memory for %zu bytes of JSON", size);
    if (!cJSON_IsObject(*root)) FAIL(SCONE_ERR_INPUT, "%s: not a JSON object", path);
cleanup:
    mem_free(text);
    if (status != SCONE_OK) {
        cJSON_Delete(*root);
        *root = NULL;
    }
    return status;
}

const cJSON *json_optional(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNull(member) ? NULL : member;
}

static scone_status wrong(const char *name, const char *what)
{
    return RAISE(SCONE_ERR_INPUT,
                 "the member \"%s\" is missing or not %s; the file is damaged or not from this "
                 "version of scone discover",
                 name, what);
}

scone_status json_list(const cJSON **list, const cJSON *object, const char *name)
{
    *list = json_optional(object, name);
    return cJSON_IsArray(*list) ? SCONE_OK : wrong(name, "a list");
}

scone_status json_object_of(const cJSON **member, const cJSON *object, const char *name)
{
    *member = json_optional(object, name);
    return cJSON_IsObject(*member) ? SCONE_OK : wrong(name, "an object");
}

scone_status json_string(const char **text, const cJSON *object, const char *name)
{
    const cJSON *member = json_optional(object, name);
    if (!cJSON_IsString(member)) return wrong(name, "a text");
    *text = member->valuestring;
    return SCONE_OK;
}

scone_status json_double(double *value, const cJSON *object, const char *name)
{
    const cJSON *member = json_optional(object, name);
    if (!cJSON_IsNumber(member) || !isfinite(member->valuedouble)) return wrong(name, "a number");
    *value = member->valuedouble;
    return SCONE_OK;
}

static bool whole(size_t *value, const cJSON *item, size_t least, size_t most)
{
    if (!cJSON_IsNumber(item)) return false;
    double number = item->valuedouble;
    if (!(number >= (double)least && number <= (double)most) || floor(number) != number) {
        return false;
    }
    *value = (size_t)number;
    return *value <= most; /* (double)most may round up */
}

scone_status json_whole(size_t *value, const cJSON *object, const char *name, size_t least,
                        size_t most)
{
    if (whole(value, json_optional(object, name), least, most)) return SCONE_OK;
    return wrong(name, "a whole number in its range");
}

scone_status json_element(size_t *value, const cJSON *item, size_t least, size_t most)
{
    if (whole(value, item, least, most)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "a number is not whole or not from %zu to %zu; the file is damaged", least, most);
}

scone_status json_hash(uint64_t *value, const cJSON *object, const char *name)
{
    const char *text;
    scone_status status = json_string(&text, object, name);
    if (status != SCONE_OK) return status;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) {
        return wrong(name, "16 hex digits");
    }
    *value = strtoull(text, NULL, 16);
    return SCONE_OK;
}

size_t json_length(const cJSON *list)
{
    size_t count = 0;
    for (const cJSON *item = list->child; item; item = item->next) count++;
    return count;
}
