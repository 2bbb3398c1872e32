/* faults.c - makes the k-th allocation or the k-th file operation of a command fail.
 *
 * Linked into a copy of the program (scone_faults) with the linker's --wrap, so the program itself
 * carries nothing of this. Controlled by the environment of the test:
 *   SCONE_FAULT=alloc:K    the K-th malloc, calloc, realloc or aligned_alloc returns NULL
 *   SCONE_FAULT=io:K       the K-th open, mkdir, read, write, fsync, close or rename fails (EIO, or
 *                          ENOSPC for write and mkdir)
 *   SCONE_FAULT=short:K    every read and write from the K-th on moves one byte at most
 *   SCONE_FAULT_REPORT=F   at exit, F gets "fired" or "quiet" and the number of calls counted
 */
#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_open(const char *path, int flags, ...);
int __real_mkdir(const char *path, mode_t mode);
ssize_t __real_read(int descriptor, void *buffer, size_t size);
ssize_t __real_write(int descriptor, const void *buffer, size_t size);
int __real_fsync(int descriptor);
int __real_close(int descriptor);
int __real_rename(const char *from, const char *to);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_open(const char *path, int flags, ...);
int __wrap_mkdir(const char *path, mode_t mode);
ssize_t __wrap_read(int descriptor, void *buffer, size_t size);
ssize_t __wrap_write(int descriptor, const void *buffer, size_t size);
int __wrap_fsync(int descriptor);
int __wrap_close(int descriptor);
int __wrap_rename(const char *from, const char *to);

static enum { FAULT_NONE, FAULT_ALLOC, FAULT_IO, FAULT_SHORT } kind;
static long long target;
static long long calls; /* atomic */

__attribute__((constructor)) static void set_up(void)
{
    const char *text = getenv("SCONE_FAULT");
    if (!text) return;
    const char *colon = strchr(text, ':');
    target = colon ? atoll(colon + 1) : 0;
    if (strncmp(text, "alloc:", 6) == 0) kind = FAULT_ALLOC;
    if (strncmp(text, "io:", 3) == 0) kind = FAULT_IO;
    if (strncmp(text, "short:", 6) == 0) kind = FAULT_SHORT;
    /* cJSON has its own pointers to malloc. */
    cJSON_Hooks hooks = {__wrap_malloc, free};
    cJSON_InitHooks(&hooks);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("SCONE_FAULT_REPORT");
    if (!path || kind == FAULT_NONE) return;
    long long counted = __atomic_load_n(&calls, __ATOMIC_RELAXED);
    char text[64];
    int length =
        snprintf(text, sizeof text, "%s %lld\n", counted >= target ? "fired" : "quiet", counted);
    int descriptor = __real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (descriptor < 0) return;
    (void)!__real_write(descriptor, text, (size_t)length);
    (void)__real_close(descriptor);
}

/* Counts one call; is it the one to fail? */
static int strike(int of_kind)
{
    if ((int)kind != of_kind) return 0;
    return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == target;
}

void *__wrap_malloc(size_t size)
{
    return strike(FAULT_ALLOC) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return strike(FAULT_ALLOC) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return strike(FAULT_ALLOC) ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return strike(FAULT_ALLOC) ? NULL : __real_aligned_alloc(alignment, size);
}

static int fails(int reason)
{
    if (!strike(FAULT_IO)) return 0;
    errno = reason;
    return 1;
}

int __wrap_open(const char *path, int flags, ...)
{
    if (fails(EIO)) return -1;
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return __real_open(path, flags, mode);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails(ENOSPC) ? -1 : __real_mkdir(path, mode);
}

static size_t shorten(size_t size)
{
    if (kind != FAULT_SHORT) return size;
    return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) >= target && size > 1 ? 1 : size;
}

ssize_t __wrap_read(int descriptor, void *buffer, size_t size)
{
    return fails(EIO) ? -1 : __real_read(descriptor, buffer, shorten(size));
}

ssize_t __wrap_write(int descriptor, const void *buffer, size_t size)
{
    return fails(ENOSPC) ? -1 : __real_write(descriptor, buffer, shorten(size));
}

int __wrap_fsync(int descriptor)
{
    return fails(EIO) ? -1 : __real_fsync(descriptor);
}

int __wrap_close(int descriptor)
{
    if (!fails(EIO)) return __real_close(descriptor);
    (void)__real_close(descriptor); /* a failing close releases the descriptor all the same */
    errno = EIO;
    return -1;
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(EIO) ? -1 : __real_rename(from, to);
}
