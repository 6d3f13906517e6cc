// Whether a supervisor's latest command may have begun: a word that PID 1 shares with it. It outlives both the supervisor and the
// process that calls execve, which may be killed at any point. False, once those two are gone, means that no program was executed.
#ifndef BEGAN_H
#define BEGAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

typedef atomic_bool began;

// NULL and errno if there is no memory.
static inline began *began_open(void) {
    void *page = mmap(NULL, sizeof(began), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

static inline void began_close(began *began) {
    if (began) munmap(began, sizeof *began);
}

#endif
