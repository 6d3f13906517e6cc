#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bytes.h"
#include "follower.h"

struct connection *connections;

static unsigned count;
static struct watch listener = {.fd = -1};

bool connection_full(const struct connection *c) {
    return c->broken || c->closing || c->out_end - c->out_start >= QUEUE_FULL;
}

// Asks for room to write only while something waits, and for bytes only while they could be answered.
static void choose_events(struct connection *c) {
    if (c->broken) return;
    uint32_t events = connection_full(c) ? 0 : EPOLLIN;
    if (c->out_end > c->out_start) events |= EPOLLOUT;
    watch_on(&c->watch, events);
}

static bool queue(struct connection *c, const unsigned char *bytes, size_t size) {
    size_t waiting = c->out_end - c->out_start;
    if (c->out_end + size > c->out_capacity && c->out_start > 0) {
        memmove(c->out, c->out + c->out_start, waiting);
        c->out_start = 0;
        c->out_end = waiting;
    }
    if (waiting + size > c->out_capacity) {
        size_t capacity = MAX(4096, c->out_capacity);
        while (capacity < waiting + size) capacity *= 2;
        unsigned char *out = capacity > QUEUE_MAX ? NULL : realloc(c->out, capacity);
        if (!out) return false;
        c->out = out;
        c->out_capacity = capacity;
    }
    memcpy(c->out + c->out_end, bytes, size);
    c->out_end += size;
    return true;
}

static void flush(struct connection *c) {
    while (c->out_end > c->out_start) {
        ssize_t put = send(c->watch.fd, c->out + c->out_start, c->out_end - c->out_start, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno != EAGAIN) c->broken = true;
        if (put <= 0) return;
        c->out_start += (size_t)put;
    }
    c->out_start = c->out_end = 0;
}

// Straight from the spool to the socket; only what the socket does not take is copied.
static void send_all(struct connection *c, struct iovec *parts, int n) {
    size_t done = 0;
    if (c->out_end == c->out_start) {
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n};
        ssize_t put = sendmsg(c->watch.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno != EAGAIN && errno != EINTR) {
            c->broken = true;
            return;
        }
        done = put > 0 ? (size_t)put : 0;
    }
    for (int i = 0; i < n; i++) {
        size_t skip = MIN(done, parts[i].iov_len);
        done -= skip;
        if (skip == parts[i].iov_len) continue;
        if (!queue(c, (unsigned char *)parts[i].iov_base + skip, parts[i].iov_len - skip)) c->broken = true;
    }
    choose_events(c);
}

void send_parts(struct connection *c, uint8_t type, uint32_t channel, struct iovec *parts, int n) {
    if (c->broken || c->closing) return;
    size_t size = 0;
    for (int i = 0; i < n; i++) size += parts[i].iov_len;
    frame_header(parts[0].iov_base, type, channel, size - FRAME_HEADER);
    send_all(c, parts, n);
}

void send_frame(struct connection *c, uint8_t type, uint32_t channel, const void *payload, size_t size) {
    unsigned char frame[FRAME_HEADER + sizeof((struct writer *)0)->bytes];
    if (size > 0) memcpy(frame + FRAME_HEADER, payload, size);
    struct iovec part = {frame, FRAME_HEADER + size};
    send_parts(c, type, channel, &part, 1);
}

void send_error(struct connection *c, uint32_t channel, int code, const char *message) {
    struct writer w = {.size = 0};
    write_number(&w, 1, (uint64_t)code);
    write_text(&w, 2, message);
    send_frame(c, ERROR, channel, w.bytes, w.size);
    if (channel == 0) c->closing = true;
}

static void take_frames(struct connection *c) {
    size_t at = 0;
    while (!connection_full(c)) {
        struct frame frame;
        size_t used;
        int parsed = frame_parse(c->in + at, c->in_size - at, &frame, &used);
        if (parsed < 0) send_error(c, 0, BAD_REQUEST, "bad frame length");
        if (parsed <= 0) break;
        dispatch(c, &frame);
        at += used;
    }
    c->in_size -= at;
    memmove(c->in, c->in + at, c->in_size);
}

static void receive(struct connection *c) {
    ssize_t got = recv(c->watch.fd, c->in + c->in_size, IN_SIZE - c->in_size, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        c->broken = true;
        return;
    }
    c->in_size += (size_t)got;
    take_frames(c);
}

static void connection_ready(struct watch *watch, uint32_t events) {
    struct connection *c = CONTAINER(watch, struct connection, watch);
    if (events & EPOLLOUT) {
        flush(c);
        if (!connection_full(c)) followers_serve_connection(c);
        if (!connection_full(c)) take_frames(c); // those that had come before it was full
    }
    if (!connection_full(c) && events & EPOLLIN) receive(c);
    else if (events & (EPOLLERR | EPOLLHUP) && !(events & EPOLLIN)) c->broken = true;
    choose_events(c);
}

struct connection *connection_add(int fd) {
    struct connection *c = count < CONNECTIONS_MAX ? calloc(1, sizeof *c) : NULL;
    if (c) c->in = malloc(IN_SIZE);
    if (!c || !c->in) {
        free(c);
        close(fd);
        return NULL;
    }
    c->watch = (struct watch){.fd = fd, .ready = connection_ready};
    c->next = connections;
    connections = c;
    count++;
    if (!watch_on(&c->watch, EPOLLIN)) c->broken = true;
    return c;
}

static void connection_close(struct connection *c) {
    while (c->followers) {
        struct command *command = c->followers->command;
        follower_remove(c->followers);
        command_followers_moved(command); // it may have been the one that held the output back
    }
    assemblies_free(c);
    watch_close(&c->watch);
    free(c->in);
    free(c->out);
    count--;
    loop_free(&c->doomed);
}

void connections_sweep(void) {
    for (struct connection **link = &connections; *link;) {
        struct connection *c = *link;
        if (c->broken || (c->closing && c->out_end == c->out_start)) {
            *link = c->next;
            connection_close(c);
        } else {
            link = &c->next;
        }
    }
}

static void accept_ready(struct watch *watch, uint32_t events) {
    (void)events;
    int fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid()) {
        close(fd);
        return;
    }
    connection_add(fd);
}

// The directory must be ours alone: the socket is there for an instant before it has its mode.
bool directory_is_ours(const char *path) {
    char dir[sizeof((struct sockaddr_un *)0)->sun_path];
    snprintf(dir, sizeof dir, "%s", path);
    char *slash = strrchr(dir, '/');
    if (!slash || slash == dir) return false;
    *slash = 0;
    if (mkdir(dir, 0700) < 0 && errno != EEXIST) return false;
    struct stat st;
    if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode)) return false;
    return st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

bool connections_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path || !directory_is_ours(path)) {
        errno = EPERM;
        return false;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    unlink(path);
    mode_t mask = umask(0177);
    bool bound = bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 64) == 0;
    umask(mask);
    listener = (struct watch){.fd = fd, .ready = accept_ready};
    return bound && watch_on(&listener, EPOLLIN);
}
