// Run mode's engine: the loop of `init` for one command, and what DIR keeps of it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "follower.h"
#include "init.h"
#include "registry.h"
#include "run.h"

static bool write_all(int fd, const void *bytes, size_t size) {
    for (const char *p = bytes; size > 0;) {
        ssize_t put = write(fd, p, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        p += put;
        size -= (size_t)put;
    }
    return true;
}

static bool save_frame(int fd, uint8_t type, const void *payload, size_t size) {
    unsigned char header[FRAME_HEADER];
    frame_header(header, type, RUN_CHANNEL, size);
    return write_all(fd, header, sizeof header) && write_all(fd, payload, size);
}

static bool save_output(int fd, const struct command *c, int stream) {
    struct iovec parts[2];
    uint64_t offset = 0;
    while (spool_peek(&c->spool[stream], &offset, PAYLOAD_MAX - 9, parts) > 0) { // the first part is enough for a turn
        static unsigned char payload[PAYLOAD_MAX];
        payload[0] = (unsigned char)(stream + 1);
        put_u64(payload + 1, offset);
        memcpy(payload + 9, parts[0].iov_base, parts[0].iov_len);
        if (!save_frame(fd, OUTPUT, payload, 9 + parts[0].iov_len)) return false;
        offset += parts[0].iov_len;
    }
    return true;
}

// The same frames that a follower would get, in a file that is there as a whole or not at all.
static void save(const struct command *c, const struct run_names *names) {
    char unfinished[80];
    struct writer attached = {.size = 0}, end = {.size = 0};
    snprintf(unfinished, sizeof unfinished, "%s.new", names->outcome);
    write_attached(&attached, c);
    write_end(&end, c);
    int fd = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return;
    if (save_frame(fd, ATTACHED, attached.bytes, attached.size) && save_output(fd, c, 0) && save_output(fd, c, 1) &&
        save_frame(fd, END, end.bytes, end.size) && fsync(fd) == 0)
        rename(unfinished, names->outcome);
    close(fd);
}

void run_engine(int fd, const struct run_names *names, const unsigned char id[ID_SIZE]) {
    bool saved = false, started = false;
    if (!keeper_prepare() || !connection_add(fd) || (names && !connections_listen(names->socket))) _exit(1);
    for (;;) {
        keeper_turn();
        struct command *c = registry_find(id);
        if (c && c->state != COMMAND_STARTING) started = true;
        if (c && keeper_ending) command_cancel(c); // whoever lost its client can still be ended in order
        if (names && c && c->state == COMMAND_ENDED && !saved) {
            save(c, names);
            saved = true;
        }
        // Whoever follows closes the connection when END has arrived.
        if (!connections && (!c || c->state == COMMAND_ENDED)) break;
    }
    if (names) unlink(names->socket);
    if (names && !started) unlink(names->marker); // it was refused: the id is free
    _exit(0);
}
