// A channel: one connection that follows one command, with its own place in the output and its own credit.
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include "command.h"
#include "connection.h"

#define FOLLOWERS_MAX 4096 // of one connection

struct follower {
    struct doomed doomed;
    struct connection *connection;
    struct command *command;
    uint32_t channel;
    uint64_t offsets[2];
    uint64_t credit;
    uint32_t stdin_window;   // bytes that the gateway may still send
    uint32_t stdin_queued;   // bytes of it that still wait in the command's queue
    uint32_t stdin_returned; // bytes that it is to be told of
    bool hold, started_due, stdin_closed_due, stdin_closed_told;
    struct follower *next_of_command;
    struct follower *next_of_connection, *previous_of_connection;
};

struct follower *follower_add(struct connection *connection, uint32_t channel, struct command *command);
struct follower *follower_find(struct connection *connection, uint32_t channel);
void follower_remove(struct follower *follower);

void followers_serve(struct command *command);                 // all of a command
void followers_serve_connection(struct connection *connection); // all of a connection, in turns
void followers_refuse(struct command *command, int code, const char *message);
void followers_drop(struct command *command); // its record is gone
void followers_stdin_closed(struct command *command);
void followers_stdin_written(struct command *command, size_t size); // whose bytes exactly does not matter: sums do

// The payloads of END and ATTACHED.
void write_end(struct writer *w, const struct command *command);
void write_attached(struct writer *w, const struct command *command);

// The lowest offset that a follower with HOLD still needs; UINT64_MAX if there is none such.
uint64_t followers_need(const struct command *command, int stream);
bool followers_hold(const struct command *command);

#endif
