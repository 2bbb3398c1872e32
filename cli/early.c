/* early.c - what must be settled before the shared libraries set themselves up.
 *
 * OpenBLAS starts a thread for every processor when it is loaded, before main, and raises SIGINT or
 * tries for ever if the limits of the process do not let it. SCONE uses one thread of it
 * (linalg/blas.h), so where there are limits the program starts itself again and says so in
 * OPENBLAS_NUM_THREADS, the only thing that OpenBLAS listens to that early.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EARLY_MOST_VARIABLES = 4096, EARLY_FEW_PROCESSES = 4096 };

static bool is_limited(void)
{
    struct rlimit found;
    if (getrlimit(RLIMIT_AS, &found) == 0 && found.rlim_cur != RLIM_INFINITY) return true;
    if (getrlimit(RLIMIT_DATA, &found) == 0 && found.rlim_cur != RLIM_INFINITY) return true;
    return getrlimit(RLIMIT_NPROC, &found) == 0 && found.rlim_cur < EARLY_FEW_PROCESSES;
}

/* Called with the arguments of main by the dynamic linker, before any library is set up: nothing
 * but system calls. If the program cannot be started again it goes on as it is. */
static void settle(int argc, char **argv, char **variables)
{
    static char name[] = "OPENBLAS_NUM_THREADS=", one[] = "OPENBLAS_NUM_THREADS=1";
    static char *changed[EARLY_MOST_VARIABLES + 2];
    size_t count = 0;
    (void)argc;
    if (!is_limited()) return;
    for (char **v = variables; *v; v++) {
        if (strcmp(*v, one) == 0) return;
        if (strncmp(*v, name, sizeof name - 1) == 0) continue;
        if (count == EARLY_MOST_VARIABLES) return;
        changed[count++] = *v;
    }
    changed[count++] = one;
    (void)execve("/proc/self/exe", argv, changed);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = settle;
