/* bench_key.c - the cells that tell the rows of a benchmark apart (see bench.h). */
#include "benchmark/bench.h"

#include "learn/learner.h"
#include "scm/scm.h"
#include "scm/setting_names.h"
#include "text/number/number.h"

#include <stdio.h>
#include <string.h>

/* A key is short, and what does not fit is cut. */
void bench_key_append(char key[BENCH_KEY_SIZE], const char *text)
{
    size_t used = strlen(key), length = strlen(text);
    if (length > BENCH_KEY_SIZE - 1 - used) length = BENCH_KEY_SIZE - 1 - used;
    memcpy(key + used, text, length);
    key[used + length] = '\0';
}

/* "20" or "10..100", with a unit, and a comma after it. */
static void append_range(char key[BENCH_KEY_SIZE], double low, double high, const char *unit)
{
    char text[NUMBER_TEXT_SIZE];
    (void)number_format(text, low);
    bench_key_append(key, text);
    bench_key_append(key, unit);
    if (low != high) {
        (void)number_format(text, high);
        bench_key_append(key, "..");
        bench_key_append(key, text);
        bench_key_append(key, unit);
    }
    bench_key_append(key, ",");
}

static void append_mechanisms(char key[BENCH_KEY_SIZE], const scone_setting *s)
{
    char families[SETTING_FAMILIES_TEXT];
    if (s->wild) {
        bench_key_append(key, "wild,wild,");
        return;
    }
    setting_families_text(families, s->families, '+');
    bench_key_append(key, families);
    bench_key_append(key, ",");
    bench_key_append(key, setting_noises[s->noise]);
    bench_key_append(key, ",");
}

bool bench_sees_conditions(const char *method)
{
    return strcmp(method, "search") == 0;
}

/* What a method gets of several conditions: `own` is whether it is a method of scone. */
static const char *seen(const char *method)
{
    bool own = false;
    for (const char *const *name = scone_method_names(); *name; name++) {
        own = own || strcmp(*name, method) == 0;
    }
    return !own ? "both" : bench_sees_conditions(method) ? "conditions" : "pooled";
}

/* Nothing for two tables with as many rows each. */
static void append_conditions(char key[BENCH_KEY_SIZE], const scone_setting *s, const char *method)
{
    size_t rows = scm_rows(s, 0), low = s->condition_targets_min, high = s->condition_targets_max;
    char text[96];
    if (scm_conditions(s) == 1) {
        if (rows == s->samples) return;
        (void)snprintf(text, sizeof text, ",1,,%zu,", rows);
        bench_key_append(key, text);
        return;
    }
    if (high == 0) {
        low = SETTING_TARGETS_MIN;
        high = SETTING_TARGETS_MAX;
    }
    (void)snprintf(text, sizeof text, ",%zu,", s->conditions);
    bench_key_append(key, text);
    append_range(key, (double)low, (double)high, "");
    (void)snprintf(text, sizeof text, "%zu,%s", rows, seen(method));
    bench_key_append(key, text);
}

void bench_key(char key[BENCH_KEY_SIZE], const scone_setting *s, size_t problem, const char *method,
               const char *id, const scone_discover_options *o)
{
    static const char *const efforts[] = {"normal", "fast", "thorough"};
    char text[160];
    key[0] = '\0';
    bench_key_append(key, s->name);
    bench_key_append(key, ",");
    append_range(key, (double)s->nodes_min, (double)s->nodes_max, "");
    append_range(key, s->edges_min, s->edges_max, s->edges_per_node ? "N" : "");
    append_mechanisms(key, s);
    append_range(key, s->p_target, s->p_target, "");
    (void)snprintf(text, sizeof text, "%zu,%llu,%zu,%s,%s,", s->samples,
                   (unsigned long long)s->seed, problem, method, efforts[o->effort]);
    bench_key_append(key, text);
    /* 0 stands for the method's own number of replicates. */
    if (o->bootstrap == SCONE_BOOTSTRAP_NONE) {
        bench_key_append(key, "none,");
    } else {
        append_range(key, (double)o->bootstrap, (double)o->bootstrap, "");
    }
    (void)snprintf(text, sizeof text, "%zu,%s", o->max_parents, id);
    bench_key_append(key, text);
    unsigned learners;
    bool other = o->learners && scone_preset_votes(method) &&
                 learner_parse(&learners, o->learners, strlen(o->learners)) == SCONE_OK;
    if (other) {
        learner_text(text, learners, '+');
        bench_key_append(key, "/");
        bench_key_append(key, text);
    }
    append_conditions(key, s, method);
}

const char *bench_key_id(size_t *length, const char *key)
{
    for (size_t commas = BENCH_KEY_CELLS; commas > 0 && *key; key++) commas -= *key == ',';
    *length = strcspn(key, ",");
    return key;
}
