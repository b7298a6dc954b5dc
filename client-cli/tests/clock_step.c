/* The clock of the machine as somebody sets it: it is wrong by the seconds in the file that CLOCK_STEP names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*unset)(clockid_t, struct timespec *);
    if (!unset) unset = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = unset(id, at);
    FILE *step = id == CLOCK_REALTIME ? fopen(getenv("CLOCK_STEP"), "r") : NULL;
    long seconds = 0;
    if (step && fscanf(step, "%ld", &seconds) == 1) at->tv_sec += seconds;
    if (step) fclose(step);
    return result;
}
