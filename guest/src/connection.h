// One gateway connection: bytes in, frames out, and a bounded queue between them and the socket.
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "loop.h"
#include "wire.h"

#define CONNECTIONS_MAX 64
#define QUEUE_FULL (128u << 10)                // from here on channels wait, and nothing more is read
#define QUEUE_MAX (1u << 20)    // answers that cannot wait fit by far; a connection that gets here is given up
#define IN_SIZE (2 * FRAME_MAX)
#define ASSEMBLIES_MAX 8                       // long requests under way on one connection

struct follower;

// A START that comes in pieces.
struct assembly {
    uint32_t channel;
    unsigned char *bytes;
    size_t size, capacity;
    bool used, too_large;
};

struct connection {
    struct doomed doomed;
    struct watch watch;
    bool greeted, broken, closing;
    unsigned char *in;
    size_t in_size;
    unsigned char *out; // NULL before anything had to wait
    size_t out_start, out_end, out_capacity;
    struct follower *followers;
    unsigned followers_count;
    struct assembly assemblies[ASSEMBLIES_MAX];
    struct connection *next;
};

extern struct connection *connections;

bool directory_is_ours(const char *path); // of a socket; made if it is not there
bool connections_listen(const char *path);
struct connection *connection_add(int fd); // NULL if there are too many; the descriptor is closed then
bool connection_full(const struct connection *connection);
void connections_sweep(void); // closes those that broke or were told to: once in each turn

void send_frame(struct connection *c, uint8_t type, uint32_t channel, const void *payload, size_t size);
void send_parts(struct connection *c, uint8_t type, uint32_t channel, struct iovec *parts, int count); // parts[0] is ours
void send_error(struct connection *c, uint32_t channel, int code, const char *message); // closes it, if on channel 0

// What the frames mean: dispatch.c.
void dispatch(struct connection *connection, struct frame *frame);
void assemblies_free(struct connection *connection);

#endif
