/* Makes fsync and fdatasync take SLOW_FSYNC_MICROS longer in every program that preloads this library: see slow-fsync.ts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = real(file);
    const char *micros = getenv("SLOW_FSYNC_MICROS");
    long delay = micros == NULL ? 0 : atol(micros);
    struct timespec rest = {delay / 1000000, delay % 1000000 * 1000};
    nanosleep(&rest, NULL);
    return result;
}

int fsync(int file) { return slowly("fsync", file); }

int fdatasync(int file) { return slowly("fdatasync", file); }
