/* memory_limit.c - how much memory a run may take (see memory_limit.h). */
#include "memory_limit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

bool memory_limit_parse(size_t *bytes, const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    if (!strchr("0123456789.", *text)) return false; /* no sign, no "inf" */
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit) {
        for (const char *u = units; u <= unit; u++) value *= 1000.0;
        end++;
    }
    if (*end == 'B') end++;
    if (*end || !(value >= 1e6) || !(value < 1e18)) return false;
    *bytes = (size_t)value;
    return true;
}

static void lower(size_t *limit, double bytes)
{
    size_t part = bytes < 1e18 ? (size_t)(0.9 * bytes) : 0;
    if (part > 0 && (*limit == 0 || part < *limit)) *limit = part;
}

/* The number in a file of the kernel; "max" and what cannot be read are no limit. */
static void lower_by_file(size_t *limit, const char *path)
{
    double value;
    FILE *file = fopen(path, "re");
    if (!file) return;
    if (fscanf(file, "%lf", &value) == 1 && value > 0.0 && isfinite(value)) lower(limit, value);
    (void)fclose(file);
}

/* memory.max of the process's control group and of those around it; inside a container the root is
 * its own. */
static void lower_by_groups(size_t *limit)
{
    char line[1024], path[1200];
    lower_by_file(limit, "/sys/fs/cgroup/memory.max");
    lower_by_file(limit, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        for (char *group = line + 3, *cut; *group; *cut = '\0') {
            (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
            lower_by_file(limit, path);
            cut = strrchr(group, '/');
            if (!cut) break;
        }
    }
    (void)fclose(file);
}

size_t memory_limit_default(void)
{
    static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    size_t limit = 0;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) lower(&limit, (double)pages * (double)size);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct rlimit found;
        if (getrlimit((__rlimit_resource_t)kinds[k], &found) != 0) continue;
        if (found.rlim_cur != RLIM_INFINITY) lower(&limit, (double)found.rlim_cur);
    }
    lower_by_groups(&limit);
    return limit;
}
