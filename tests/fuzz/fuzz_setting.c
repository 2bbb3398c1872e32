/* fuzz_setting.c - any bytes are a setting that survives being written and read, or an error. */
#include "scm/setting_json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* an exact copy, so that a read beyond the text is seen */
    char *text = mem_alloc(size, 1), *printed;
    scone_setting setting, again;
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    scone_status status = setting_parse(&setting, text, size);
    mem_free(text);
    if (status != SCONE_OK) return 0;
    setting_outcome *outcomes = mem_zero(setting.count, sizeof *outcomes);
    if (!outcomes) abort();
    if (setting_print(&printed, &setting, SCONE_PROBLEM_CSV, outcomes) != SCONE_OK) abort();
    if (setting_parse(&again, printed, strlen(printed)) != SCONE_OK) abort();
    if (strcmp(setting.name, again.name) != 0 || setting.seed != again.seed ||
        setting.edges_max != again.edges_max || setting.p_target != again.p_target ||
        setting.families != again.families || setting.count != again.count ||
        setting.conditions != again.conditions ||
        setting.condition_targets_min != again.condition_targets_min ||
        setting.condition_targets_max != again.condition_targets_max ||
        setting.control_samples != again.control_samples) {
        abort();
    }
    mem_free(outcomes);
    mem_free(printed);
    return 0;
}
