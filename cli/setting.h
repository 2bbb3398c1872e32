/* setting.h - settings of the generator as words, text and JSON. */
#ifndef SCONE_CLI_SETTING_H
#define SCONE_CLI_SETTING_H

#include "scone.h"
#include "session.h"

typedef struct family_name {
    const char *name;
    unsigned bit;
} family_name;

extern const family_name family_names[]; /* mechanism families; the last has name == NULL */
extern const char *const noise_names[];  /* by scone_noise, NULL-terminated */
extern const char *const format_names[]; /* by scone_problem_format, NULL-terminated */

/* What simulate prints at the end, and all named settings; both return an exit code. */
int print_written(const scone_setting *setting, const char *folder, scone_problem_format format,
                  bool as_json);
int print_settings(session *s);

#endif
