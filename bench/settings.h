/* settings.h - settings that programs of bench/ take beside the named ones:
 *
 *     train-N-E            N nodes, E expected edges, mechanisms linear, nn and nn_add
 *     ood-N-E, wild-N-E    any size of the named families
 *     NAME-additive        NAME with additive noise
 */
#ifndef SCONE_BENCH_SETTINGS_H
#define SCONE_BENCH_SETTINGS_H

#include "scone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void require(scone_status status)
{
    if (status == SCONE_OK) return;
    fprintf(stderr, "%s\n", scone_error_message());
    exit(1);
}

static inline void setting_read(scone_setting *setting, const char *name)
{
    static const char additive[] = "-additive";
    char kind[8];
    unsigned nodes, edges;
    size_t length = strlen(name), tail = sizeof additive - 1;
    if (sscanf(name, "%7[a-z]-%u-%u", kind, &nodes, &edges) != 3) {
        require(scone_setting_named(setting, name));
        return;
    }
    if (scone_setting_named(setting, name) == SCONE_OK) return;
    require(scone_setting_named(setting, strcmp(kind, "wild") == 0 ? "wild-20-20" : "ood-20-20"));
    if (strcmp(kind, "train") == 0) {
        setting->families = SCONE_LINEAR | SCONE_NN | SCONE_NN_ADD;
    }
    setting->nodes_min = setting->nodes_max = nodes;
    setting->edges_min = setting->edges_max = (double)edges;
    if (length > tail && strcmp(name + length - tail, additive) == 0) {
        setting->noise = SCONE_NOISE_ADDITIVE;
    }
}

#endif
