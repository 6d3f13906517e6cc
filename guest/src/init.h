// The engine of `init`, which run mode uses for its one command as well.
#ifndef INIT_H
#define INIT_H

#include <stdbool.h>

bool keeper_prepare(void);
void keeper_turn(void);

#endif
