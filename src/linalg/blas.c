/* blas.c - pins OpenBLAS to one thread (see blas.h). */
#include "linalg/blas.h"

#include <pthread.h>

static void pin_threads(void)
{
    openblas_set_num_threads(1);
}

void blas_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, pin_threads);
}
