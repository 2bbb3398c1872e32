/* setting_json.h - setting.json: what a simulated folder was made from. */
#ifndef SCONE_SCM_SETTING_JSON_H
#define SCONE_SCM_SETTING_JSON_H

#include "base/memory.h"

/* What came out for one graph. */
typedef struct setting_outcome {
    size_t nodes, edges, targets;
} setting_outcome;

/* The text of setting.json with setting->count outcomes; free with mem_free. */
scone_status setting_print(char **text, const scone_setting *setting, scone_problem_format format,
                           const setting_outcome *outcomes);

/* The setting in such a text; unknown fields are ignored. Messages do not name the file. */
scone_status setting_parse(scone_setting *setting, const char *text, size_t size);

#endif
