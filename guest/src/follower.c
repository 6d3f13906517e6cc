#include "follower.h"

#include <stdlib.h>

#include "bytes.h"

struct follower *follower_add(struct connection *connection, uint32_t channel, struct command *command) {
    struct follower *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->connection = connection;
    f->command = command;
    f->channel = channel;
    f->stdin_window = STDIN_WINDOW;
    f->next_of_command = command->followers;
    command->followers = f;
    f->next_of_connection = connection->followers;
    if (connection->followers) connection->followers->previous_of_connection = f;
    connection->followers = f;
    connection->followers_count++;
    return f;
}

struct follower *follower_find(struct connection *connection, uint32_t channel) {
    for (struct follower *f = connection->followers; f; f = f->next_of_connection)
        if (f->channel == channel) return f;
    return NULL;
}

static void leave_connection(struct follower *f) {
    if (f->previous_of_connection) f->previous_of_connection->next_of_connection = f->next_of_connection;
    else f->connection->followers = f->next_of_connection;
    if (f->next_of_connection) f->next_of_connection->previous_of_connection = f->previous_of_connection;
    f->connection->followers_count--;
}

void follower_remove(struct follower *f) {
    command_unfed(f->command, f);
    struct follower **link = &f->command->followers;
    while (*link != f) link = &(*link)->next_of_command;
    *link = f->next_of_command;
    leave_connection(f);
    loop_free(&f->doomed);
}

static void send_started(struct follower *f) {
    struct writer w = {.size = 0};
    write_number(&w, 1, (uint64_t)f->command->pid);
    send_frame(f->connection, STARTED, f->channel, w.bytes, w.size);
    f->started_due = false;
}

static void send_stdin_news(struct follower *f) {
    // Returns are gathered: with half a window at a time the gateway never waits for nothing.
    if (f->stdin_returned >= STDIN_WINDOW / 2) {
        unsigned char bytes[4];
        put_u32(bytes, f->stdin_returned);
        send_frame(f->connection, STDIN_CREDIT, f->channel, bytes, sizeof bytes);
        f->stdin_window += f->stdin_returned;
        f->stdin_returned = 0;
    }
    if (f->stdin_closed_due) {
        send_frame(f->connection, STDIN_CLOSED, f->channel, NULL, 0);
        f->stdin_closed_due = false;
        f->stdin_closed_told = true;
    }
}

void write_end(struct writer *w, const struct command *c) {
    write_number(w, 1, (uint64_t)c->end.how);
    write_number(w, 2, (uint64_t)c->end.exit_code);
    write_number(w, 3, (uint64_t)c->end.signal);
    write_number(w, 4, c->spool[0].total);
    write_number(w, 5, c->spool[1].total);
    write_number(w, 6, c->oom_kills);
    write_number(w, 7, c->end.duration_us);
    write_number(w, 8, (uint64_t)c->end.killed);
    if (c->disk.limit == 0) return;
    write_number(w, 9, c->disk.limit);
    write_number(w, 10, c->disk.used);
    write_number(w, 11, (uint64_t)c->disk.effect);
}

void write_attached(struct writer *w, const struct command *c) {
    write_number(w, 1, (uint64_t)c->pid);
    write_number(w, 2, c->spool[0].total);
    write_number(w, 3, c->spool[1].total);
    write_number(w, 4, c->state == COMMAND_ENDED);
    write_number(w, 5, now_ms() - c->started_ms);
}

static void send_end(struct follower *f) {
    struct writer w = {.size = 0};
    write_end(&w, f->command);
    send_frame(f->connection, END, f->channel, w.bytes, w.size);
}

// One OUTPUT frame. False if there is nothing that may be sent.
static bool send_output(struct follower *f) {
    for (int stream = 0; stream < 2; stream++) {
        const struct spool *spool = &f->command->spool[stream];
        uint64_t offset = f->offsets[stream];
        struct iovec parts[3];
        int n = spool_peek(spool, &offset, (size_t)MIN(f->credit, PAYLOAD_MAX - 9u), parts + 1);
        f->offsets[stream] = offset; // past a gap, also where nothing follows it
        if (n == 0 || f->credit == 0) continue;
        unsigned char head[FRAME_HEADER + 9];
        head[FRAME_HEADER] = (unsigned char)(stream + 1);
        put_u64(head + FRAME_HEADER + 1, offset);
        parts[0] = (struct iovec){head, sizeof head};
        size_t size = 0;
        for (int i = 1; i <= n; i++) size += parts[i].iov_len;
        send_parts(f->connection, OUTPUT, f->channel, parts, n + 1);
        f->offsets[stream] += size;
        if (f->credit < UNLIMITED) f->credit -= size;
        return true;
    }
    return false;
}

static bool has_all(const struct follower *f) {
    const struct spool *s = f->command->spool;
    return f->offsets[0] >= s[0].total && f->offsets[1] >= s[1].total;
}

// One step. False if nothing more can be done now; the follower may be gone then.
static bool step(struct follower *f) {
    if (connection_full(f->connection) || f->command->state == COMMAND_STARTING) return false;
    if (f->started_due) send_started(f);
    send_stdin_news(f);
    if (send_output(f)) return true;
    if (f->command->state == COMMAND_ENDED && has_all(f)) {
        send_end(f);
        follower_remove(f);
    }
    return false;
}

void followers_serve(struct command *command) {
    for (bool more = true; more;) { // in turns, so that one with much credit does not keep the others waiting
        more = false;
        for (struct follower *f = command->followers, *next; f; f = next) {
            next = f->next_of_command;
            if (step(f)) more = true;
        }
    }
    command_followers_moved(command); // e.g. what filled the ring before STARTED was known
}

void followers_serve_connection(struct connection *connection) {
    for (bool more = true; more && !connection_full(connection);) {
        more = false;
        for (struct follower *f = connection->followers, *next; f; f = next) {
            next = f->next_of_connection;
            struct command *command = f->command;
            if (step(f)) {
                more = true;
                command_followers_moved(command);
            }
        }
    }
}

void followers_refuse(struct command *command, int code, const char *message) {
    while (command->followers) {
        struct follower *f = command->followers;
        struct writer w = {.size = 0};
        write_number(&w, 1, (uint64_t)code);
        write_text(&w, 2, message);
        send_frame(f->connection, REFUSED, f->channel, w.bytes, w.size);
        follower_remove(f);
    }
}

void followers_drop(struct command *command) {
    while (command->followers) {
        struct follower *f = command->followers;
        send_error(f->connection, f->channel, UNKNOWN_EXEC, "the record was dropped");
        follower_remove(f);
    }
}

void followers_stdin_closed(struct command *command) {
    for (struct follower *f = command->followers; f; f = f->next_of_command)
        if (!f->stdin_closed_told) f->stdin_closed_due = true;
}

void followers_stdin_written(struct command *command, size_t size) {
    for (struct follower *f = command->followers; f && size > 0; f = f->next_of_command) {
        uint32_t part = (uint32_t)MIN(size, f->stdin_queued);
        f->stdin_queued -= part;
        f->stdin_returned += part;
        size -= part;
    }
}

bool followers_hold(const struct command *command) {
    for (const struct follower *f = command->followers; f; f = f->next_of_command)
        if (f->hold) return true;
    return false;
}

uint64_t followers_need(const struct command *command, int stream) {
    uint64_t need = UINT64_MAX;
    for (const struct follower *f = command->followers; f; f = f->next_of_command)
        if (f->hold) need = MIN(need, f->offsets[stream]);
    return need;
}
