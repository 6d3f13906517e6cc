#include "command_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "bytes.h"
#include "follower.h"

#define READ_MOST 65536
#define BUSY_AFTER (1u << 20)       // a stream that has brought this much gets a larger pipe
#define BUSY_PIPE (256 << 10)
#define TERMINAL_LEFT_MOST (1u << 20) // the kernel cannot say how much waits in a PTY; it is far less than this

int command_open_terminal(const struct request *request) {
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK), unlock = 0;
    struct winsize size = {.ws_col = (unsigned short)request->cols, .ws_row = (unsigned short)request->rows};
    struct termios modes;
    if (master < 0) return -1;
    if (ioctl(master, TIOCSPTLCK, &unlock) < 0 || ioctl(master, TIOCSWINSZ, &size) < 0) {
        close(master);
        return -1;
    }
    if (tcgetattr(master, &modes) == 0) {
        modes.c_iflag |= IUTF8; // so that erasing a character takes all of its bytes
        tcsetattr(master, TCSANOW, &modes);
    }
    return master;
}

static bool drained(const struct live *live) {
    for (int i = 0; i < 2; i++)
        if (live->outputs[i].watch.fd >= 0 && live->outputs[i].left > 0) return false;
    return true;
}

// One read. False if there is nothing to read now, or no room for it.
static bool read_some(struct output *o) {
    struct command *c = o->command;
    struct spool *spool = &c->spool[o->stream];
    struct iovec parts[2];
    if (o->watch.fd < 0) return false;
    size_t want = c->live->exited ? (size_t)MIN(o->left, READ_MOST) : READ_MOST;
    int n = spool_reserve(spool, followers_need(c, o->stream), want, parts);
    if (n == 0) {
        watch_off(&o->watch); // with no event asked for, epoll would still report the other side's end
        return false;
    }
    ssize_t got = readv(o->watch.fd, parts, n);
    if (got < 0 && errno == EINTR) return true;
    if (got < 0 && errno == EAGAIN) {
        o->left = 0;
        return false;
    }
    if (got <= 0) { // a PTY says EIO when the last of the other side is closed
        watch_close(&o->watch);
        return false;
    }
    if (spool->total < BUSY_AFTER && spool->total + (uint64_t)got >= BUSY_AFTER && !c->live->terminal)
        fcntl(o->watch.fd, F_SETPIPE_SZ, BUSY_PIPE); // if the kernel allows
    spool_commit(spool, (size_t)got);
    if (c->live->exited) o->left -= (uint64_t)got;
    return true;
}

static void output_ready(struct watch *watch, uint32_t events) {
    (void)events;
    struct output *o = CONTAINER(watch, struct output, watch);
    struct command *c = o->command;
    read_some(o);
    followers_serve(c);
    if (c->live->exited && drained(c->live)) command_finish(c);
}

void command_drain(struct command *command) {
    struct live *live = command->live;
    live->exited = true;
    live->give_up_ms = 0;
    for (int i = 0; i < 2; i++) {
        struct output *o = &live->outputs[i];
        int waiting = 0;
        // What was written before the end is in the pipe now. What a background child adds later is not waited for.
        if (live->terminal) waiting = TERMINAL_LEFT_MOST;
        else if (o->watch.fd >= 0) ioctl(o->watch.fd, FIONREAD, &waiting);
        o->left = waiting > 0 ? (uint64_t)waiting : 0;
        while (o->left > 0 && read_some(o)) followers_serve(command);
    }
    if (drained(live)) command_finish(command);
}

void command_followers_moved(struct command *command) {
    if (!command->live) return;
    for (int i = 0; i < 2; i++) {
        struct output *o = &command->live->outputs[i];
        if (o->watch.fd < 0 || o->watch.on || (command->live->exited && o->left == 0)) continue;
        if (spool_has_room(&command->spool[i], followers_need(command, i))) watch_on(&o->watch, EPOLLIN);
    }
}

static int in_fd(const struct live *live) { return live->terminal ? live->outputs[0].watch.fd : live->in.fd; }

static void stdin_gone(struct command *command) {
    struct live *live = command->live;
    watch_close(&live->in);
    free(live->queue);
    live->queue = NULL;
    live->queued = 0;
    live->in_eof = true;
    followers_stdin_closed(command);
    followers_serve(command);
}

static void stdin_flush(struct command *command) {
    struct live *live = command->live;
    while (live->queued > 0) {
        ssize_t put = write(in_fd(live), live->queue, live->queued);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno != EAGAIN) return stdin_gone(command);
        if (put <= 0) break;
        followers_stdin_written(command, (size_t)put);
        live->queued -= (size_t)put;
        memmove(live->queue, live->queue + put, live->queued);
    }
    if (live->queued == 0) {
        free(live->queue);
        live->queue = NULL;
        if (live->in_eof && !live->terminal) watch_close(&live->in);
    }
    if (live->terminal && live->queued == 0) watch_off(&live->in);
    else watch_on(&live->in, live->queued ? EPOLLOUT : 0); // with no event asked for, it tells of the reader's end
    followers_serve(command);
}

static void in_ready(struct watch *watch, uint32_t events) {
    struct command *c = CONTAINER(watch, struct live, in)->command;
    if (!c->live->terminal && events & EPOLLERR) stdin_gone(c);
    else if (c->live->queued > 0) stdin_flush(c);
    else watch_off(watch);
}

void command_watch(struct command *command, const struct ends *ends) {
    struct live *live = command->live;
    for (int i = 0; i < 2; i++) {
        struct output *o = &live->outputs[i];
        o->command = command;
        o->stream = i;
        o->watch = (struct watch){.fd = live->terminal ? (i == 0 ? ends->master : -1) : ends->out_read[i],
                                  .ready = output_ready};
        watch_on(&o->watch, EPOLLIN);
    }
    live->in = (struct watch){.fd = ends->in_write, .ready = in_ready};
    if (live->terminal) live->in.fd = fcntl(ends->master, F_DUPFD_CLOEXEC, 3); // epoll takes each descriptor once
    else watch_on(&live->in, 0);
    live->in_eof = live->in.fd < 0;
}

bool command_stdin_open(const struct command *command) { return command->live && !command->live->in_eof; }

bool command_stdin(struct command *command, const unsigned char *bytes, size_t size) {
    struct live *live = command->live;
    if (live->queued + size > STDIN_QUEUE_MAX) return false;
    unsigned char *queue = realloc(live->queue, live->queued + size);
    if (!queue) return false;
    memcpy(queue + live->queued, bytes, size);
    live->queue = queue;
    live->queued += size;
    stdin_flush(command);
    return true;
}

void command_stdin_eof(struct command *command) {
    struct live *live = command->live;
    if (!command_stdin_open(command)) return;
    if (live->terminal) {
        static const unsigned char end_of_file = 4; // a PTY cannot be closed one way: this is what a person would type
        command_stdin(command, &end_of_file, 1);
        return;
    }
    live->in_eof = true;
    stdin_flush(command);
}
