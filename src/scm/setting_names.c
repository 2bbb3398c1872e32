/* setting_names.c - the names in settings (see setting_names.h). */
#include "scm/setting_names.h"

#include "scone.h"

#include <string.h>

const char *const setting_families[SETTING_FAMILIES] = {"linear", "polynomial", "sigmoid", "nn",
                                                        "nn_add"};
_Static_assert(SCONE_LINEAR == 1 << 0 && SCONE_POLYNOMIAL == 1 << 1 && SCONE_SIGMOID == 1 << 2 &&
                   SCONE_NN == 1 << 3 && SCONE_NN_ADD == 1 << 4,
               "names in the order of the bits");

const char *const setting_noises[SETTING_NOISES] = {"mixed", "additive", "multiplicative"};
_Static_assert(SCONE_NOISE_MIXED == 0 && SCONE_NOISE_ADDITIVE == 1 &&
                   SCONE_NOISE_MULTIPLICATIVE == 2,
               "names in the order of the kinds");

void setting_families_text(char text[SETTING_FAMILIES_TEXT], unsigned families, char between)
{
    size_t used = 0;
    for (size_t k = 0; k < SETTING_FAMILIES; k++) {
        size_t length = strlen(setting_families[k]);
        if (!(families & 1u << k)) continue;
        if (used) text[used++] = between;
        memcpy(text + used, setting_families[k], length);
        used += length;
    }
    text[used] = '\0';
}
