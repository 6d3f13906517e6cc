// The engine of `init`, which run mode uses for its one command as well.
#ifndef INIT_H
#define INIT_H

#include <stdbool.h>

extern bool keeper_ending; // TERM has come

bool keeper_prepare(void);
void keeper_turn(void);

#endif
