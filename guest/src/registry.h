// Which exec ids were ever started, and the commands behind them.
#ifndef REGISTRY_H
#define REGISTRY_H

#include "command.h"

#define REMEMBERED 32768

// 0, ALREADY_STARTED or TOO_OLD.
int registry_check(const unsigned char *id);
bool registry_add(const unsigned char *id, struct command *command);
struct command *registry_find(const unsigned char *id); // NULL also for an id whose record is gone
void registry_refused(const unsigned char *id);         // it was not started after all
void registry_ended(struct command *command);           // its output may be evicted from now on
void registry_forget(struct command *command);          // drops the record, keeps the id

#endif
