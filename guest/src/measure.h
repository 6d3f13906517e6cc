// What a directory and all below it take on the disk, found out in small steps between which the loop goes on.
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stdint.h>

struct measured {
    uint64_t used;    // bytes; UNLIMITED if it is too deep to be measured
    uint64_t largest; // apparent size of the largest file
};

// Begins anew at `root`, a directory that stays open and whose position is not needed. Follows no link and crosses into no other file system.
void measure_begin(int root);

// Goes on for about so long. True when all has been seen.
bool measure_some(uint64_t us, struct measured *measured);

#endif
