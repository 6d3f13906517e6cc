// Run mode's text side: frames of the engine as base64 lines on stdout, and lines from stdin as frames.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base64.h"
#include "bytes.h"
#include "loop.h"
#include "run.h"

#define QUIET_MS 15000
#define LINE_MOST (BASE64_SIZE(FRAME_MAX) + 1)

static char line[LINE_MOST]; // on its way to stdout
static size_t line_start, line_end;
static unsigned char frames[FRAME_MAX]; // from the engine
static size_t frames_size;
static char typed[LINE_MOST + 1]; // from stdin
static size_t typed_size;
static bool listening, told; // told: the last frame of the command has been written
static int result;

bool run_send(int engine, uint8_t type, uint32_t channel, const void *payload, size_t size) {
    static unsigned char frame[FRAME_MAX];
    frame_header(frame, type, channel, size);
    if (size > 0) memcpy(frame + FRAME_HEADER, payload, size);
    for (size_t at = 0; at < FRAME_HEADER + size;) {
        ssize_t put = write(engine, frame + at, FRAME_HEADER + size - at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += (size_t)put;
    }
    return true;
}

static void make_line(const unsigned char *frame, size_t size) {
    line_start = 0;
    line_end = base64_encode(frame, size, line);
    line[line_end++] = '\n';
}

static bool write_line(void) {
    while (line_start < line_end) {
        ssize_t put = write(1, line + line_start, line_end - line_start);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno == EAGAIN;
        line_start += (size_t)put;
    }
    return true;
}

void run_say(uint8_t type, uint32_t channel, const void *payload, size_t size) {
    static unsigned char frame[FRAME_MAX];
    frame_header(frame, type, channel, size);
    if (size > 0) memcpy(frame + FRAME_HEADER, payload, size);
    make_line(frame, FRAME_HEADER + size);
    write_line();
}

void run_say_code(uint8_t type, int code, const char *message) {
    struct writer w = {.size = 0};
    write_number(&w, 1, (uint64_t)code);
    write_text(&w, 2, message);
    run_say(type, RUN_CHANNEL, w.bytes, w.size);
}

static void take_frame(int engine, const struct frame *frame, const unsigned char *bytes, size_t size) {
    if (frame->type == HELLO || frame->type == PONG) return;
    if (frame->type == OUTPUT && frame->size > 9) { // lines have no credit: stdout itself holds us back
        unsigned char credit[4];
        put_u32(credit, (uint32_t)frame->size - 9);
        run_send(engine, CREDIT, RUN_CHANNEL, credit, sizeof credit);
    }
    told = frame->type == END || frame->type == REFUSED || frame->type == ERROR;
    if (frame->type == ERROR) result = 1;
    make_line(bytes, size);
}

// One frame at a time: the next is taken when the line of this one is out.
static bool take_from_engine(int engine, bool readable) {
    struct frame frame;
    size_t used;
    if (readable) {
        ssize_t got = read(engine, frames + frames_size, sizeof frames - frames_size);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return false;
        if (got > 0) frames_size += (size_t)got;
    }
    while (line_start == line_end && !told) {
        int parsed = frame_parse(frames, frames_size, &frame, &used);
        if (parsed < 0) return false;
        if (parsed == 0) break;
        take_frame(engine, &frame, frames, used);
        frames_size -= used;
        memmove(frames, frames + used, frames_size);
        if (!write_line()) return false;
    }
    return true;
}

static bool may_be_said(const struct frame *frame) {
    return frame->type == STDIN || frame->type == STDIN_EOF || frame->type == SIGNAL || frame->type == CANCEL ||
           frame->type == RESIZE;
}

static void take_line(int engine, char *text, size_t size) {
    struct frame frame;
    size_t used;
    if (size > 0 && text[size - 1] == '\r') size--;
    if (size == 0) return;
    ssize_t decoded = base64_decode(text, size);
    bool good = decoded > 0 && frame_parse((unsigned char *)text, (size_t)decoded, &frame, &used) == 1 &&
                used == (size_t)decoded && may_be_said(&frame);
    if (good) run_send(engine, frame.type, RUN_CHANNEL, frame.payload, frame.size);
    else listening = false; // whoever writes nonsense is not heard any more; the command goes on
}

static void take_lines(int engine) {
    size_t at = 0;
    for (char *newline; listening && (newline = memchr(typed + at, '\n', typed_size - at));) {
        size_t size = (size_t)(newline - typed) - at;
        take_line(engine, typed + at, size);
        at += size + 1;
    }
    typed_size -= at;
    memmove(typed, typed + at, typed_size);
    if (typed_size == sizeof typed) listening = false; // no frame is so long
}

// An engine that waits for our stdout takes nothing: to write to it then would be to wait for each other.
static bool can_take(int engine) {
    struct pollfd fd = {.fd = engine, .events = POLLOUT};
    return poll(&fd, 1, 10) == 1; // a writable socket has room for more than we can have read
}

static void take_stdin(int engine) {
    ssize_t got = read(0, typed + typed_size, sizeof typed - typed_size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
        listening = false;
        return;
    }
    typed_size += (size_t)got;
    take_lines(engine);
}

static void block_stdout(bool block) {
    int flags = fcntl(1, F_GETFL);
    fcntl(1, F_SETFL, block ? flags & ~O_NONBLOCK : flags | O_NONBLOCK); // others may have the same open file
}

static int talk(int engine, int signals);

// 0 or 1: told how it ended. -1: the engine has gone before that.
int run_text(int engine, const char *rest, size_t rest_size) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    int signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    listening = true;
    while (listening && rest_size > 0) {
        size_t part = MIN(rest_size, sizeof typed - typed_size);
        memcpy(typed + typed_size, rest, part);
        typed_size += part;
        rest += part;
        rest_size -= part;
        take_lines(engine);
    }
    block_stdout(false);
    int told_how = talk(engine, signals);
    block_stdout(true);
    return told_how;
}

static int talk(int engine, int signals) {
    uint64_t spoken = now_ms();
    while (!(told && line_start == line_end)) {
        bool waiting = line_start < line_end;
        struct pollfd fds[] = {
            {.fd = listening ? 0 : -1, .events = POLLIN},
            {.fd = waiting ? 1 : -1, .events = POLLOUT},
            {.fd = waiting ? -1 : engine, .events = POLLIN},
            {.fd = signals, .events = POLLIN},
        };
        int timeout = waiting ? -1 : (int)MAX(0, (int64_t)(spoken + QUIET_MS) - (int64_t)now_ms());
        struct signalfd_siginfo info;
        int ready = poll(fds, 4, timeout);
        if (ready < 0) continue;
        if (fds[3].revents && read(signals, &info, sizeof info) > 0) run_send(engine, CANCEL, RUN_CHANNEL, NULL, 0);
        if (ready == 0 && !waiting) run_say(PING, 0, NULL, 0), spoken = now_ms();
        if (fds[0].revents && can_take(engine)) take_stdin(engine);
        if (fds[1].revents) spoken = now_ms();
        if (fds[1].revents && !write_line()) return 1; // nobody listens; the command goes on without us
        if (fds[2].revents) spoken = now_ms();
        if ((fds[1].revents || fds[2].revents) && !take_from_engine(engine, fds[2].revents != 0)) return -1;
    }
    return result;
}

static void tell_saved(struct frame *frame, uint64_t offsets[2]) {
    if (frame->type == OUTPUT && frame->size > 9 && (frame->payload[0] == 1 || frame->payload[0] == 2)) {
        uint64_t wanted = offsets[frame->payload[0] - 1], offset = get_u64(frame->payload + 1);
        size_t skip = (size_t)MIN(wanted > offset ? wanted - offset : 0, frame->size - 9);
        if (skip == frame->size - 9) return;
        frame->payload[skip] = frame->payload[0];
        put_u64(frame->payload + skip + 1, offset + skip);
        run_say(OUTPUT, RUN_CHANNEL, frame->payload + skip, frame->size - skip);
        return;
    }
    run_say(frame->type, RUN_CHANNEL, frame->payload, frame->size);
}

int run_tell_outcome(const struct run_names *names, uint64_t offsets[2]) {
    int fd = open(names->outcome, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && access(names->marker, F_OK) == 0)
        return run_say_code(ERROR, INTERNAL, "its keeper has ended without telling the outcome"), 1;
    if (fd < 0) return run_say_code(ERROR, UNKNOWN_EXEC, "DIR does not know this id"), 1;
    frames_size = 0;
    for (;;) {
        struct frame frame;
        size_t used;
        ssize_t got = read(fd, frames + frames_size, sizeof frames - frames_size);
        if (got < 0 && errno == EINTR) continue;
        if (got > 0) frames_size += (size_t)got;
        while (frame_parse(frames, frames_size, &frame, &used) == 1) {
            tell_saved(&frame, offsets);
            if (frame.type == END) return 0;
            frames_size -= used;
            memmove(frames, frames + used, frames_size);
        }
        if (got <= 0) return 1;
    }
}
