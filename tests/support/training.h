/* training.h - whole trainings of a tiny model in a folder of their own, for tests. */
#ifndef SCONE_TESTS_TRAINING_H
#define SCONE_TESTS_TRAINING_H

#include "testing.h"
#include "thread_team.h"

#include "io/file.h"
#include "scone_lab.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { STEPS = 12, EVERY = 2, STOP_AFTER = 5, PATH = 300 };

static char folder[] = "train_test_XXXXXX"; /* of everything here */

static inline const char *in_folder(char out[PATH], const char *name)
{
    (void)snprintf(out, PATH, "%s/%s", folder, name);
    return out;
}

/* 6 graphs of 4 to 7 nodes, width 16, 2 blocks; the tokens are made once. */
static inline scone_train_options tiny(const char *output, const char *cache)
{
    scone_train_options o = {.changes = "width=16,blocks=2,heads=4,feed_forward=24,identities=40,"
                                        "bootstraps=3,subset_size=4,subsets_min=3,cells_per_pair=1",
                             .graphs = 6,
                             .validation = 3,
                             .steps = STEPS,
                             .batch = 4,
                             .every = EVERY,
                             .seed = 5,
                             .output = output,
                             .tokens = cache};
    CHECK_OK(scone_setting_named(&o.setting, "train-ood"));
    o.setting.nodes_min = 4;
    o.setting.nodes_max = 7;
    o.setting.samples = 200;
    o.setting.seed = 3;
    return o;
}

static inline void check_same_file(const char *a, const char *b)
{
    char *first, *second;
    size_t size, other;
    CHECK_OK(file_read_all(&first, &size, a, 1 << 24));
    CHECK_OK(file_read_all(&second, &other, b, 1 << 24));
    if (size != other || memcmp(first, second, size) != 0) fail_msg("%s and %s differ", a, b);
    mem_free(first);
    mem_free(second);
}

static inline bool stop_midway(void *user, const char *stage, double done)
{
    (void)user;
    return !(strcmp(stage, "training") == 0 && done * STEPS >= STOP_AFTER - 1e-9);
}

typedef struct team_case {
    scone_train_options options;
    scone_status status[THREAD_TEAM_LIMIT];
    char message[256];
} team_case;

static inline void train_in_team(int rank, const scone_context *context, void *shared)
{
    team_case *x = shared;
    x->status[rank] = scone_train_run(NULL, &x->options, context);
    if (rank == 0 && x->status[0] != SCONE_OK) {
        (void)snprintf(x->message, sizeof x->message, "%.255s", scone_error_message());
    }
}

static inline int make_folder(void **state)
{
    char cache[PATH];
    (void)state;
    return mkdtemp(folder) && mkdir(in_folder(cache, "tokens"), 0777) == 0 ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[PATH];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
