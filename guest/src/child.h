// From the fork to execve, in the command's own process.
#ifndef CHILD_H
#define CHILD_H

#include "request.h"
#include "user.h"

struct child_failure {
    int code;
    int error;
    char what[16];
};

struct child {
    struct vectors vectors;
    struct user user;
    int in, out, err; // become 0, 1 and 2
    bool terminal;    // they are a PTY's other side
    int failures;     // close-on-exec
};

_Noreturn void child_exec(const struct child *child);

// Read once by `init`, before any fork: what commands inherit.
void child_remember_limits(void);

#endif
