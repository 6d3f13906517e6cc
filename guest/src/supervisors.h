// PID 1's end of its supervisors: those at work, and the spare ones that wait for the next command, so that it need not wait for a
// fork. A supervisor of whose command nothing is left becomes a spare one.
#ifndef SUPERVISORS_H
#define SUPERVISORS_H

#include "loop.h"
#include "supervisor.h"

#define SPARES_MAX 2

struct command;

// Lives on after the command while the supervisor has children to reap.
struct supervisor {
    struct doomed doomed;
    struct watch watch;
    began *began;
    pid_t pid;
    struct command *command; // NULL: it is spare, or its command has ended
    bool spare;
    bool lean; // holds little memory of its own
    struct supervisor *next;
};

// Forks one in advance. Nothing depends on it.
void supervisors_prepare(void);

// Gives the request to a spare one, or to a new one. NULL and errno if it could not be forked.
struct supervisor *supervisors_start(const struct request *request, struct ends *ends, struct command *command);

// Only ever a new one.
struct supervisor *supervisors_fork(const struct request *request, struct ends *ends, struct command *command);

bool supervisor_order(struct supervisor *supervisor, struct order order);
bool supervisors_busy(void); // whether a command is at work, or something that one has left behind
void supervisors_quell(void); // ends all of that
bool supervisors_know(pid_t pid);
void supervisors_reaped(pid_t pid); // a child of PID 1 has ended

#endif
