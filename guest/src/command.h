// A command as PID 1 sees it: its pipes, its supervisor, what it has written and how it ended.
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "disk.h"
#include "loop.h"
#include "request.h"
#include "spool.h"
#include "supervisors.h"

#define COMMANDS_MAX 1024
#define STDIN_WINDOW 65536u
#define STDIN_QUEUE_MAX (4 * STDIN_WINDOW)

struct follower;
struct live;

struct command {
    struct doomed doomed;
    unsigned char id[ID_SIZE];
    enum { COMMAND_STARTING, COMMAND_RUNNING, COMMAND_ENDED } state;
    pid_t pid;
    uint64_t started_ms;
    struct report end;
    uint64_t oom_kills;
    struct disk_use disk;
    struct spool spool[2];
    struct follower *followers;
    struct live *live; // NULL once ended
    bool forget;       // as soon as it has ended
    struct command *longer_ago, *later; // among the ended ones
};

// One output of a running command.
struct output {
    struct watch watch;
    struct command *command;
    int stream;
    uint64_t left; // to be read after the first process has ended
};

struct live {
    struct doomed doomed;
    struct command *command;
    struct supervisor *supervisor;
    struct output outputs[2];
    struct watch in;
    // What another supervisor needs, should this one be killed before the program begins. Kept until then.
    struct request request; // its payload is NULL if it is not kept
    int their_ends[3];      // in_read and out_write, -1 where there is none
    began *began;           // of a supervisor that was killed
    bool anew;              // this is the second one already
    unsigned char *queue; // of stdin, in order
    size_t queued;
    bool in_eof, terminal, exited, cancelled, orphaned, cut;
    struct follower *feeder; // without which its stdin would stay half; NULL if it does not matter
    uint64_t grace_ms, give_up_ms; // when PID 1 takes over from a supervisor that does not answer
    uint64_t oom_before;
    struct live *next, *previous;
};

extern unsigned commands_live;

// NULL if it could not be forked; errno says why. Takes the request's payload over in any case.
struct command *command_start(struct request *request);

void command_cancel(struct command *command);
// This follower will send no more stdin. Ends a command that is bound to it and has not been told where its stdin ends.
void command_unfed(struct command *command, const struct follower *follower);
// The disk limit is exceeded: ends all commands and what earlier ones have left behind.
void commands_end_for_disk(void);
void command_signal(struct command *command, int sig);
void command_resize(struct command *command, uint16_t cols, uint16_t rows);
bool command_stdin_open(const struct command *command);
bool command_stdin(struct command *command, const unsigned char *bytes, size_t size); // false: the queue is full
void command_stdin_eof(struct command *command);

// Output may have become readable again, because a follower has moved on or has left.
void command_followers_moved(struct command *command);

// What its supervisor tells, and that it has left: it is free for another command, or has been killed.
void command_reported(struct command *command, const struct report *report);
void command_left(struct command *command);
void command_supervisor_lost(struct command *command, began *began); // owns `began` from now on

void command_tick(void);        // called now and then: overdue supervisors
int command_tick_ms(void);      // how long to wait at most until the next one, -1: for ever
void command_free(struct command *command);

#endif
