// Run mode: an engine with one command, as `init` has many, and a text side that turns its frames into lines.
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "request.h"

#define RUN_CHANNEL 1

struct run_names { // in DIR, which is the working directory then
    char hex[2 * ID_SIZE + 1];
    char socket[64], marker[64], outcome[64];
};
void run_names(struct run_names *names, const unsigned char id[ID_SIZE]);

// The engine's process: serves `fd` and, with a DIR, the socket; ends when the command has and nobody is connected.
_Noreturn void run_engine(int fd, const struct run_names *names, const unsigned char id[ID_SIZE]); // names may be NULL

// The text side. `rest` are the bytes already read from stdin.
int run_text(int engine, const char *rest, size_t rest_size);
void run_say(uint8_t type, uint32_t channel, const void *payload, size_t size); // one line, at once
void run_say_code(uint8_t type, int code, const char *message);

// What is known of a command whose engine has gone. The exit code.
int run_tell_outcome(const struct run_names *names, uint64_t offsets[2]);

bool run_send(int engine, uint8_t type, uint32_t channel, const void *payload, size_t size);

#endif
