/* faults.c - makes the k-th allocation or the k-th file operation of a command fail.
 *
 * Linked into a copy of the program (scone_faults) with the linker's --wrap, so the program itself
 * carries nothing of this. Controlled by the environment of the test:
 *   SCONE_FAULT=alloc:K    the K-th malloc, calloc, realloc or aligned_alloc returns NULL
 *   SCONE_FAULT=io:K       the K-th call that touches files fails (see the list below: EIO, or
 *                          ENOSPC for write and mkdir)
 *   SCONE_FAULT=from:K     the K-th one and all after it
 *   SCONE_FAULT=kill:K     the program is killed (SIGKILL) after the K-th of them that changes
 *                          something on the disk: mkdir, write, fsync, fchmod, chmod, rename,
 *                          renameat2, unlink, unlinkat, rmdir
 *   SCONE_FAULT=short:K    every read and write from the K-th on moves one byte at most
 *   SCONE_FAULT_REPORT=F   at exit, F gets "fired" or "quiet" and the number of calls counted
 */
#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags);
int __real_fstat(int descriptor, struct stat *about);
int __real_stat(const char *path, struct stat *about);
int __real_lstat(const char *path, struct stat *about);
int __real_fchmod(int descriptor, mode_t mode);
int __real_chmod(const char *path, mode_t mode);
int __real_unlink(const char *path);
int __real_unlinkat(int folder, const char *path, int flags);
int __real_rmdir(const char *path);
int __real_flock(int descriptor, int operation);
char *__real_realpath(const char *path, char *resolved);
void *__real_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset);
DIR *__real_opendir(const char *path);
DIR *__real_fdopendir(int descriptor);
struct dirent *__real_readdir(DIR *folder);

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
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags);
int __wrap_fstat(int descriptor, struct stat *about);
int __wrap_stat(const char *path, struct stat *about);
int __wrap_lstat(const char *path, struct stat *about);
int __wrap_fchmod(int descriptor, mode_t mode);
int __wrap_chmod(const char *path, mode_t mode);
int __wrap_unlink(const char *path);
int __wrap_unlinkat(int folder, const char *path, int flags);
int __wrap_rmdir(const char *path);
int __wrap_flock(int descriptor, int operation);
char *__wrap_realpath(const char *path, char *resolved);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_fdopendir(int descriptor);
struct dirent *__wrap_readdir(DIR *folder);

static enum { FAULT_NONE, FAULT_ALLOC, FAULT_IO, FAULT_FROM, FAULT_KILL, FAULT_SHORT } kind;
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
    if (strncmp(text, "from:", 5) == 0) kind = FAULT_FROM;
    if (strncmp(text, "kill:", 5) == 0) kind = FAULT_KILL;
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
    bool struck = kind == FAULT_FROM && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) >= target;
    if (!struck && !strike(FAULT_IO)) return 0;
    errno = reason;
    return 1;
}

/* After a call that changed something on the disk. */
static int changed(int result)
{
    if (kind == FAULT_KILL && strike(FAULT_KILL)) (void)raise(SIGKILL);
    return result;
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
    return fails(ENOSPC) ? -1 : changed(__real_mkdir(path, mode));
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
    if (fails(ENOSPC)) return -1;
    ssize_t wrote = __real_write(descriptor, buffer, shorten(size));
    (void)changed(0);
    return wrote;
}

int __wrap_fsync(int descriptor)
{
    return fails(EIO) ? -1 : changed(__real_fsync(descriptor));
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
    return fails(EIO) ? -1 : changed(__real_rename(from, to));
}

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    if (fails(EIO)) return -1;
    return changed(__real_renameat2(from_folder, from, to_folder, to, flags));
}

int __wrap_fstat(int descriptor, struct stat *about)
{
    return fails(EIO) ? -1 : __real_fstat(descriptor, about);
}

int __wrap_stat(const char *path, struct stat *about)
{
    return fails(EIO) ? -1 : __real_stat(path, about);
}

int __wrap_lstat(const char *path, struct stat *about)
{
    return fails(EIO) ? -1 : __real_lstat(path, about);
}

int __wrap_fchmod(int descriptor, mode_t mode)
{
    return fails(EIO) ? -1 : changed(__real_fchmod(descriptor, mode));
}

int __wrap_chmod(const char *path, mode_t mode)
{
    return fails(EIO) ? -1 : changed(__real_chmod(path, mode));
}

/* What cannot be removed stays, and nobody can do more about it; that one file is left is no sign
 * of a fault, so these are not failed, but killed after. */
int __wrap_unlink(const char *path)
{
    return changed(__real_unlink(path));
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    return changed(__real_unlinkat(folder, path, flags));
}

int __wrap_rmdir(const char *path)
{
    return changed(__real_rmdir(path));
}

int __wrap_flock(int descriptor, int operation)
{
    return fails(ENOLCK) ? -1 : __real_flock(descriptor, operation);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    return fails(EIO) ? NULL : __real_realpath(path, resolved);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset)
{
    if (fails(EIO)) return MAP_FAILED;
    return __real_mmap(address, size, protection, flags, descriptor, offset);
}

DIR *__wrap_opendir(const char *path)
{
    return fails(EIO) ? NULL : __real_opendir(path);
}

DIR *__wrap_fdopendir(int descriptor)
{
    return fails(EIO) ? NULL : __real_fdopendir(descriptor);
}

struct dirent *__wrap_readdir(DIR *folder)
{
    return fails(EIO) ? NULL : __real_readdir(folder);
}
