// A START: what the gateway asks to be run.
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

#define DISK_PATH_MAX 4095

struct request {
    unsigned char id[ID_SIZE];
    unsigned char *payload; // with one spare byte after it
    size_t size;
    size_t argc, envc;
    uint64_t timeout_ms, grace_ms, flags, cols, rows, head_limit, window;
    struct field cwd, user;
    uint64_t disk_limit;    // 0: none
    struct field disk_path; // what it is for
    uint64_t file_most;     // how large a file may become; set by whoever knows, see disk.h
};

// NULL, or what is wrong with it.
const char *request_read(struct request *request, unsigned char *payload, size_t size);

struct vectors {
    char **argv, **envp, *cwd, *user;
};

// Makes C strings within the payload, which can be read as a request no more. Needs the spare byte.
bool request_vectors(struct request *request, struct vectors *vectors);

#endif
