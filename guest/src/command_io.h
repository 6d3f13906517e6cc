// The bytes of a running command: what PID 1 does at its end of the pipes or the PTY.
#ifndef COMMAND_IO_H
#define COMMAND_IO_H

#include "command.h"

int command_open_terminal(const struct request *request);
void command_watch(struct command *command, const struct ends *ends);
void command_drain(struct command *command);  // the first process has ended: read what is left, then finish
void command_finish(struct command *command); // in command.c: nothing is left

#endif
