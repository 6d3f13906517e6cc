// What each frame of a gateway means.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bytes.h"
#include "follower.h"
#include "registry.h"
#include "version.h"

static void refuse(struct connection *c, uint32_t channel, int code, const char *message) {
    struct writer w = {.size = 0};
    write_number(&w, 1, (uint64_t)code);
    write_text(&w, 2, message);
    send_frame(c, REFUSED, channel, w.bytes, w.size);
}

static void fail(struct follower *f, int code, const char *message) {
    send_error(f->connection, f->channel, code, message);
    struct command *command = f->command;
    follower_remove(f);
    command_followers_moved(command);
}

static void hello(struct connection *c, const struct frame *frame) {
    uint64_t lowest = 0, highest = 0;
    struct field_rule rules[] = {
        {.tag = 1, .required = true, .number = &lowest},
        {.tag = 2, .required = true, .number = &highest},
    };
    if (c->greeted || frame->type != HELLO || frame->channel != 0)
        return send_error(c, 0, BAD_REQUEST, c->greeted ? "a second HELLO" : "the first frame is no HELLO");
    if (!fields_read(frame->payload, frame->size, rules, 2)) return send_error(c, 0, BAD_REQUEST, "malformed HELLO");
    if (lowest > PROTOCOL_VERSION || highest < PROTOCOL_VERSION)
        return send_error(c, 0, BAD_VERSION, "this keeper speaks version 1 only");
    c->greeted = true;
    struct writer w = {.size = 0};
    write_number(&w, 1, PROTOCOL_VERSION);
    write_text(&w, 2, KEEPER_VERSION);
    write_bytes(&w, 3, boot_id, sizeof boot_id);
    write_text(&w, 4, KEEPER_ARCHITECTURE);
    send_frame(c, HELLO, 0, w.bytes, w.size);
}

static struct assembly *assembly_of(struct connection *c, uint32_t channel) {
    for (int i = 0; i < ASSEMBLIES_MAX; i++)
        if (c->assemblies[i].used && c->assemblies[i].channel == channel) return &c->assemblies[i];
    return NULL;
}

static void assembly_free(struct assembly *a) {
    if (!a) return;
    free(a->bytes);
    memset(a, 0, sizeof *a);
}

void assemblies_free(struct connection *c) {
    for (int i = 0; i < ASSEMBLIES_MAX; i++) assembly_free(&c->assemblies[i]);
}

static void append(struct assembly *a, const struct frame *frame) {
    if (a->too_large) return;
    size_t size = a->size + frame->size;
    if (size > START_MAX) {
        a->too_large = true;
    } else if (size + 1 > a->capacity) {
        size_t capacity = MIN(MAX(2 * a->capacity, size + 1), (size_t)START_MAX + 1);
        unsigned char *bytes = realloc(a->bytes, capacity);
        if (bytes) {
            a->bytes = bytes;
            a->capacity = capacity;
        } else {
            a->too_large = true;
        }
    }
    if (a->too_large) {
        free(a->bytes);
        a->bytes = NULL;
        return;
    }
    memcpy(a->bytes + a->size, frame->payload, frame->size);
    a->size = size;
}

static void more(struct connection *c, const struct frame *frame) {
    struct assembly *a = assembly_of(c, frame->channel);
    for (int i = 0; !a && i < ASSEMBLIES_MAX; i++)
        if (!c->assemblies[i].used) a = &c->assemblies[i];
    if (!a) return send_error(c, 0, TOO_MANY, "too many long requests at once");
    a->used = true;
    a->channel = frame->channel;
    append(a, frame);
}

static int code_of(int error) {
    return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOSPC ? NO_RESOURCES
                                                                                                      : INTERNAL;
}

static void begin(struct connection *c, uint32_t channel, unsigned char *payload, size_t size) {
    struct request request;
    const char *wrong = request_read(&request, payload, size);
    int known = wrong ? 0 : registry_check(request.id);
    if (wrong) refuse(c, channel, BAD_REQUEST, wrong);
    else if (known == ALREADY_STARTED) refuse(c, channel, known, "this id was started before");
    else if (known == TOO_OLD) refuse(c, channel, known, "this id is older than what is remembered");
    else if (commands_live >= COMMANDS_MAX) refuse(c, channel, TOO_MANY, "too many commands at once");
    if (wrong || known || commands_live >= COMMANDS_MAX) {
        free(payload);
        return;
    }
    struct command *command = command_start(&request);
    if (!command) return refuse(c, channel, code_of(errno), strerror(errno));
    struct follower *f = follower_add(c, channel, command);
    if (!f) return send_error(c, channel, NO_RESOURCES, "started, but cannot be followed");
    f->credit = request.window;
    f->hold = request.flags & HOLD;
    f->started_due = true;
    if (request.flags & STDIN_BOUND) command->live->feeder = f;
}

static void start(struct connection *c, const struct frame *frame) {
    struct assembly single = {.used = false}, *a = assembly_of(c, frame->channel);
    if (!a) a = &single;
    append(a, frame);
    bool too_large = a->too_large;
    unsigned char *payload = a->bytes;
    size_t size = a->size;
    memset(a, 0, sizeof *a);
    if (too_large) refuse(c, frame->channel, TOO_LARGE, "the request is larger than 4 MiB");
    else if (!payload) refuse(c, frame->channel, NO_RESOURCES, "out of memory");
    else begin(c, frame->channel, payload, size);
}

static void attach(struct connection *c, const struct frame *frame) {
    struct field id;
    uint64_t offsets[2] = {0, 0}, window = 0, flags = 0;
    struct field_rule rules[] = {
        {.tag = 1, .required = true, .kind = BYTES, .size = ID_SIZE, .bytes = &id},
        {.tag = 2, .number = &offsets[0]},
        {.tag = 3, .number = &offsets[1]},
        {.tag = 4, .number = &window},
        {.tag = 5, .number = &flags},
    };
    if (!fields_read(frame->payload, frame->size, rules, 5) || flags & ~(uint64_t)HOLD)
        return send_error(c, frame->channel, BAD_REQUEST, "malformed ATTACH");
    struct command *command = registry_find(id.bytes);
    if (!command) return send_error(c, frame->channel, UNKNOWN_EXEC, "no record of this id");
    struct follower *f = follower_add(c, frame->channel, command);
    if (!f) return send_error(c, frame->channel, NO_RESOURCES, "out of memory");
    for (int i = 0; i < 2; i++) f->offsets[i] = MIN(offsets[i], command->spool[i].total);
    f->credit = MIN(window, UNLIMITED);
    f->hold = flags & HOLD;
    struct writer w = {.size = 0};
    write_attached(&w, command);
    send_frame(c, ATTACHED, frame->channel, w.bytes, w.size);
    f->stdin_closed_due = !command_stdin_open(command) && command->state == COMMAND_RUNNING;
    followers_serve_connection(c);
}

static void forget(struct connection *c, const struct frame *frame) {
    struct field id;
    struct field_rule rule = {.tag = 1, .required = true, .kind = BYTES, .size = ID_SIZE, .bytes = &id};
    if (!fields_read(frame->payload, frame->size, &rule, 1)) return send_error(c, 0, BAD_REQUEST, "malformed FORGET");
    struct command *command = registry_find(id.bytes);
    if (command && command->state == COMMAND_ENDED) registry_forget(command);
    else if (command) command->forget = true;
}

static void take_stdin(struct follower *f, const struct frame *frame) {
    if (frame->size > f->stdin_window) return fail(f, BAD_REQUEST, "more stdin than was allowed");
    if (!command_stdin_open(f->command)) { // what comes now is dropped
        if (!f->stdin_closed_told) f->stdin_closed_due = true;
        followers_serve(f->command);
        return;
    }
    if (frame->size == 0) return;
    f->stdin_window -= (uint32_t)frame->size;
    f->stdin_queued += (uint32_t)frame->size;
    if (!command_stdin(f->command, frame->payload, frame->size)) fail(f, TOO_LARGE, "too much stdin is waiting");
}

// A frame for a command that is followed. `size` is what its payload must have; -1: any.
static const struct { uint8_t type; int size; } channel_frames[] = {
    {DETACH, 0}, {CREDIT, 4}, {STDIN, -1}, {STDIN_EOF, 0}, {SIGNAL, 1}, {CANCEL, 0}, {RESIZE, 4},
};

static void act(struct follower *f, const struct frame *frame) {
    struct command *command = f->command;
    switch (frame->type) {
    case DETACH:
        follower_remove(f);
        command_followers_moved(command);
        break;
    case CREDIT:
        f->credit = MIN(f->credit + get_u32(frame->payload), UNLIMITED);
        followers_serve_connection(f->connection);
        break;
    case STDIN:
        take_stdin(f, frame);
        break;
    case STDIN_EOF:
        command_stdin_eof(command);
        break;
    case SIGNAL:
        if (frame->payload[0] < 1 || frame->payload[0] > 64) fail(f, BAD_REQUEST, "no such signal");
        else command_signal(command, frame->payload[0]);
        break;
    case CANCEL:
        command_cancel(command);
        break;
    case RESIZE:
        command_resize(command, get_u16(frame->payload), get_u16(frame->payload + 2));
        break;
    }
}

static void on_channel(struct connection *c, const struct frame *frame) {
    struct follower *f = follower_find(c, frame->channel);
    for (unsigned i = 0; i < sizeof channel_frames / sizeof *channel_frames; i++) {
        if (channel_frames[i].type != frame->type) continue;
        if (channel_frames[i].size >= 0 && frame->size != (size_t)channel_frames[i].size) {
            if (f) fail(f, BAD_REQUEST, "bad payload size");
            else send_error(c, frame->channel, BAD_REQUEST, "bad payload size");
        } else if (f) {
            act(f, frame);
        } else if (frame->type == DETACH) {
            assembly_free(assembly_of(c, frame->channel));
        } // else: it has crossed the END of its channel
        return;
    }
    if (frame->type != START && frame->type != MORE && frame->type != ATTACH)
        return send_error(c, 0, BAD_REQUEST, "unknown frame type");
    if (f) {
        fail(f, BAD_REQUEST, "this channel is taken");
    } else if (c->followers_count >= FOLLOWERS_MAX) {
        send_error(c, frame->channel, TOO_MANY, "too many channels");
    } else if (frame->type == START) {
        start(c, frame);
    } else if (frame->type == MORE) {
        more(c, frame);
    } else {
        assembly_free(assembly_of(c, frame->channel));
        attach(c, frame);
    }
}

void dispatch(struct connection *c, struct frame *frame) {
    if (!c->greeted || frame->type == HELLO) return hello(c, frame);
    if (frame->channel != 0 && frame->type != PING && frame->type != PONG && frame->type != FORGET)
        return on_channel(c, frame);
    if (frame->channel != 0) return send_error(c, 0, BAD_REQUEST, "not on this channel");
    switch (frame->type) {
    case PING:
        if (frame->size > 8) send_error(c, 0, BAD_REQUEST, "long PING");
        else send_frame(c, PONG, 0, frame->payload, frame->size);
        break;
    case PONG:
        break;
    case FORGET:
        forget(c, frame);
        break;
    default:
        send_error(c, 0, BAD_REQUEST, "not on channel 0");
    }
}
