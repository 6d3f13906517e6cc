// The process between PID 1 and one command at a time: a subreaper that starts it, waits for it, and ends its tree.
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "began.h"
#include "request.h"

// What PID 1 and a supervisor tell each other, each as one message of a SOCK_SEQPACKET pair. START is longer than the other orders,
// see handover.h. RELEASE: PID 1 reads the output no more.
// QUELL: as CANCEL, also for what an ended command has left behind, and the command's end is told as it came.
struct order {
    enum { ORDER_CANCEL, ORDER_SIGNAL, ORDER_RELEASE, ORDER_START, ORDER_QUELL } kind;
    int signal;
};

struct report {
    enum { REPORT_STARTED, REPORT_REFUSED, REPORT_ENDED } kind;
    pid_t pid;
    int code;            // of REFUSED
    char message[128];   // of REFUSED
    int how, exit_code, signal, killed;
    bool free;           // of REFUSED and ENDED: nothing of the command is left, and another START may follow
    uint64_t duration_us;
};

// The descriptors of a command, as PID 1 has opened them. Those that do not exist are -1.
struct ends {
    int in_read, in_write;
    int out_read[2], out_write[2];
    int master; // of a PTY; then out_read[0] and in_write are -1
};

// The life of a freshly forked supervisor. It begins with `request`, or, if that is NULL, by waiting for one. Owns the request's
// payload.
_Noreturn void supervise(int control, began *began, struct request *request, struct ends *ends);

#endif
