/* model_option.c - see model_option.h. */
#include "model_option.h"

#include "scone.h"

const char *const *model_presets(void)
{
    enum { PRESETS = 32 };
    static const char *names[PRESETS];
    size_t count = 0;
    for (const char *const *name = scone_preset_names(); *name && count + 1 < PRESETS; name++) {
        if (scone_preset_learned(*name)) names[count++] = *name;
    }
    return names;
}
