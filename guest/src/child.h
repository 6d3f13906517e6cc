// From the fork to execve, in the command's own process.
#ifndef CHILD_H
#define CHILD_H

#include "began.h"
#include "request.h"
#include "user.h"

struct child {
    struct vectors vectors;
    struct user user;
    int in, out, err; // become 0, 1 and 2
    bool terminal;    // they are a PTY's other side
    uint64_t file_most; // how large a file of it may become, UINT64_MAX: as large as for us
    began *began;
    struct {
        int code; // 0: execve has succeeded, or the child was killed before it, which `began` tells
        int error;
        const char *what;
    } failure;
};

// Returns once the program has been executed, or cannot be; the caller sleeps until then. The pid, which is to be waited for in
// both cases, or -1 and errno.
pid_t child_start(struct child *child);

// Read and set once, before any fork: what commands inherit.
void child_prepare(void);

#endif
