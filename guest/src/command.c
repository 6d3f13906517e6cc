#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "bytes.h"
#include "command_io.h"
#include "follower.h"
#include "handover.h"
#include "oom.h"
#include "registry.h"
#include "tree.h"

#define GIVE_UP_MS 5000 // what a supervisor may be late, after the grace
#define ORPHANS_TICK_MS 20
#define ORPHANS_GIVE_UP_MS 3000

unsigned commands_live;

static struct live *lives;

static void close_all(int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) close(fds[i]);
        fds[i] = -1;
    }
}

// No other supervisor will be needed.
static void let_go_of_request(struct live *live) {
    free(live->request.payload);
    live->request.payload = NULL;
    close_all(live->their_ends, 3);
}

static void live_remove(struct live *live) {
    if (live->previous) live->previous->next = live->next;
    else lives = live->next;
    if (live->next) live->next->previous = live->previous;
    commands_live--;
    for (int i = 0; i < 2; i++) watch_close(&live->outputs[i].watch);
    watch_close(&live->in);
    free(live->queue);
    let_go_of_request(live);
    began_close(live->began);
    live->command->live = NULL;
    loop_free(&live->doomed);
}

static void order(struct command *command, struct order order) {
    if (command->live && command->live->supervisor) supervisor_order(command->live->supervisor, order);
}

void command_finish(struct command *command) {
    struct live *live = command->live;
    if (live->supervisor) { // something of the command lives on
        order(command, (struct order){.kind = ORDER_RELEASE});
        live->supervisor->command = NULL;
    }
    uint64_t kills = oom_kills();
    command->oom_kills = kills > live->oom_before ? kills - live->oom_before : 0;
    disk_end(&command->disk);
    command->state = COMMAND_ENDED;
    live_remove(live);
    for (int i = 0; i < 2; i++) spool_trim(&command->spool[i]);
    registry_ended(command);
    followers_serve(command);
    if (command->forget) registry_forget(command);
}

static uint64_t give_up_ms(const struct request *request) {
    return request->timeout_ms ? now_ms() + request->timeout_ms + request->grace_ms + GIVE_UP_MS : 0;
}

static void refused(struct command *command, int code, const char *message) {
    live_remove(command->live);
    registry_refused(command->id);
    followers_refuse(command, code, message);
    command_free(command);
}

static void started(struct command *command, const struct report *report) {
    command->pid = report->pid;
    command->state = COMMAND_RUNNING;
    let_go_of_request(command->live);
    followers_serve(command);
}

void command_left(struct command *command) { command->live->supervisor = NULL; }

void command_reported(struct command *command, const struct report *report) {
    switch (report->kind) {
    case REPORT_STARTED:
        started(command, report);
        break;
    case REPORT_REFUSED:
        refused(command, report->code, report->message);
        break;
    case REPORT_ENDED:
        command->end = *report;
        if (command->live->cut && report->how == CANCELLED) command->end.how = STDIN_CUT;
        command->live->give_up_ms = 0;
        command_drain(command);
        break;
    }
}

// Somebody who may do so has killed the supervisor. Its children are ours now, and no other child of ours is not a
// supervisor: those of commands that have ended live under theirs.
void command_supervisor_lost(struct command *command, began *began) {
    struct live *live = command->live;
    live->supervisor = NULL;
    began_close(live->began);
    live->began = began;
    if (live->exited) return; // its end is known: only the draining remains
    command->end = (struct report){.kind = REPORT_ENDED, .how = live->cancelled ? CANCELLED : SIGNALED, .signal = SIGKILL,
                                   .killed = 1, .duration_us = (now_ms() - command->started_ms) * 1000};
    if (live->cut) command->end.how = STDIN_CUT;
    live->orphaned = true;
    live->give_up_ms = now_ms() + ORPHANS_GIVE_UP_MS;
}

// Its supervisor was killed before the program began, which is as if nothing had happened. Another one takes the command, but only
// once, within its time, and if nothing of a terminal was closed with the first.
static void begin_anew(struct command *command) {
    struct live *live = command->live;
    struct request *request = &live->request;
    bool in_time = !request->timeout_ms || now_ms() < command->started_ms + request->timeout_ms;
    struct ends ends = {live->their_ends[0], -1, {-1, -1}, {live->their_ends[1], live->their_ends[2]}, -1};
    if (request->payload && in_time && !live->anew && !live->terminal) {
        // The first ones' ends are inherited by the fork, and only they; ours stay where they are.
        ends.out_read[0] = live->outputs[0].watch.fd;
        ends.out_read[1] = live->outputs[1].watch.fd;
        live->supervisor = supervisors_fork(request, &ends, command);
    }
    if (!live->supervisor) {
        refused(command, INTERNAL, "its supervisor was killed before the program began");
        return;
    }
    live->anew = true;
    live->give_up_ms = give_up_ms(request);
}

// `certain`: no process is left that could still execute the program.
static void end_orphaned(struct command *command, bool certain) {
    struct live *live = command->live;
    if (command->state == COMMAND_STARTING) {
        if (certain && !*live->began && !live->cancelled) return begin_anew(command);
        // Whether the program began can be learned no more, or the command was cancelled. What may have begun is not refused.
        started(command, &(struct report){.kind = REPORT_STARTED});
    }
    command_drain(command);
}

int command_tick_ms(void) {
    int wait = -1;
    for (struct live *l = lives; l; l = l->next) {
        if (l->orphaned) return ORPHANS_TICK_MS;
        if (l->give_up_ms) wait = 1000;
    }
    return wait;
}

void command_tick(void) {
    uint64_t now = now_ms();
    bool orphaned = false;
    for (struct live *l = lives; l; l = l->next) {
        if (l->orphaned) orphaned = true;
        else if (l->give_up_ms && now >= l->give_up_ms && l->supervisor) kill(l->supervisor->pid, SIGKILL);
    }
    if (!orphaned) return;
    bool gone = tree_kill(getpid(), supervisors_know) == 0;
    for (struct live *l = lives, *next; l; l = next) {
        next = l->next;
        if (!l->orphaned || !(gone || now >= l->give_up_ms)) continue;
        l->orphaned = false;
        end_orphaned(l->command, gone);
    }
}

static bool open_ends(struct ends *ends, const struct request *request) {
    *ends = (struct ends){-1, -1, {-1, -1}, {-1, -1}, -1};
    if (request->flags & PTY) return (ends->master = command_open_terminal(request)) >= 0;
    int pair[2];
    for (int i = 0; i < 2; i++) {
        if (pipe2(pair, O_CLOEXEC) < 0) return false;
        ends->out_read[i] = pair[0];
        ends->out_write[i] = pair[1];
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
    }
    if (!(request->flags & STDIN_OPEN)) return (ends->in_read = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
    if (pipe2(pair, O_CLOEXEC) < 0) return false;
    ends->in_read = pair[0];
    ends->in_write = pair[1];
    return fcntl(pair[1], F_SETFL, O_NONBLOCK) == 0;
}

static struct command *make(const struct request *request) {
    struct command *c = calloc(1, sizeof *c);
    struct live *live = calloc(1, sizeof *live);
    if (!c || !live) {
        free(c);
        free(live);
        errno = ENOMEM;
        return NULL;
    }
    memcpy(c->id, request->id, ID_SIZE);
    for (int i = 0; i < 2; i++) spool_init(&c->spool[i], request->head_limit);
    c->started_ms = now_ms();
    c->live = live;
    live->command = c;
    live->grace_ms = request->grace_ms;
    live->terminal = request->flags & PTY;
    live->give_up_ms = give_up_ms(request);
    live->oom_before = oom_kills();
    return c;
}

struct command *command_start(struct request *request) {
    struct ends ends;
    struct command *c = make(request);
    struct supervisor *s = NULL;
    if (c) c->disk = disk_start(request);
    bool opened = open_ends(&ends, request);
    if (c && opened) s = supervisors_start(request, &ends, c);
    int error = errno;
    int theirs[] = {ends.in_read, ends.out_write[0], ends.out_write[1]};
    int ours[] = {ends.in_write, ends.out_read[0], ends.out_read[1], ends.master};
    if (!s) {
        free(request->payload);
        close_all(theirs, 3);
        close_all(ours, 4);
        if (c) free(c->live);
        free(c);
        errno = error;
        return NULL;
    }
    c->live->supervisor = s;
    c->live->request = *request;
    memcpy(c->live->their_ends, theirs, sizeof theirs);
    if (request->size > HANDOVER_MOST) let_go_of_request(c->live); // too much to keep for what hardly ever happens
    c->live->next = lives;
    if (lives) lives->previous = c->live;
    lives = c->live;
    commands_live++;
    command_watch(c, &ends);
    registry_add(c->id, c);
    return c;
}

void command_cancel(struct command *command) {
    struct live *live = command->live;
    if (!live || live->exited || live->cancelled) return;
    live->cancelled = true;
    live->give_up_ms = now_ms() + live->grace_ms + GIVE_UP_MS;
    order(command, (struct order){.kind = ORDER_CANCEL}); // if it cannot take it, the time to give up comes
}

void command_unfed(struct command *command, const struct follower *follower) {
    struct live *live = command->live;
    if (!live || live->feeder != follower) return;
    live->feeder = NULL;
    if (live->exited || live->cancelled || !command_stdin_open(command)) return;
    live->cut = true;
    command_cancel(command);
}

void commands_end_for_disk(void) {
    for (struct live *l = lives; l; l = l->next) {
        if (l->exited) continue;
        l->command->disk.effect = DISK_ENDED;
        uint64_t give_up = now_ms() + l->grace_ms + GIVE_UP_MS;
        if (!l->give_up_ms || l->give_up_ms > give_up) l->give_up_ms = give_up;
    }
    supervisors_quell();
    tree_kill(getpid(), supervisors_know); // what has outlived its supervisor
}

void command_signal(struct command *command, int sig) {
    order(command, (struct order){.kind = ORDER_SIGNAL, .signal = sig});
}

void command_resize(struct command *command, uint16_t cols, uint16_t rows) {
    if (!command->live || !command->live->terminal) return;
    struct winsize size = {.ws_col = cols ? cols : 80, .ws_row = rows ? rows : 24};
    ioctl(command->live->outputs[0].watch.fd, TIOCSWINSZ, &size);
}

void command_free(struct command *command) {
    followers_drop(command);
    for (int i = 0; i < 2; i++) spool_drop(&command->spool[i]);
    loop_free(&command->doomed);
}
