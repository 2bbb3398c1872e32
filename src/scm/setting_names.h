/* setting_names.h - what the families of mechanisms and the kinds of noise are called wherever they
 * are written or read.
 */
#ifndef SCONE_SCM_SETTING_NAMES_H
#define SCONE_SCM_SETTING_NAMES_H

#include <stddef.h>

enum { SETTING_FAMILIES = 5, SETTING_NOISES = 3, SETTING_FAMILIES_TEXT = 64 };

/* setting_families[k] is the family 1 << k; setting_noises is by scone_noise. */
extern const char *const setting_families[SETTING_FAMILIES];
extern const char *const setting_noises[SETTING_NOISES];

/* "linear+nn_add": the families of a bit set, with a character between them. */
void setting_families_text(char text[SETTING_FAMILIES_TEXT], unsigned families, char between);

#endif
