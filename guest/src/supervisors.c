#include "supervisors.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bytes.h"
#include "command.h"
#include "handover.h"

// A fork keeps the pages that we had then. One that was made while much output was kept does not stay.
#define LEAN (256u << 10)

static struct supervisor *supervisors;
static unsigned spares;

static void spare_no_more(struct supervisor *s) {
    if (s->spare) spares--;
    s->spare = false;
}

// Nobody waits for it any more. Closing our end lets it go, when its last child has.
static void dismiss(struct supervisor *s) {
    spare_no_more(s);
    watch_close(&s->watch);
}

static void freed(struct supervisor *s) {
    if (spares == SPARES_MAX || !s->lean) {
        dismiss(s);
        return;
    }
    s->spare = true;
    spares++;
}

static void take(struct supervisor *s, const struct report *report) {
    struct command *command = s->command;
    bool is_free = report->kind != REPORT_STARTED && report->free;
    if (!command) return;
    if (is_free) {
        command_left(command);
        s->command = NULL;
        freed(s);
    }
    command_reported(command, report);
}

static void read_reports(struct supervisor *s) {
    struct report report;
    ssize_t got;
    while (s->watch.fd >= 0 && (got = recv(s->watch.fd, &report, sizeof report, MSG_DONTWAIT)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            if (errno != EAGAIN) break;
            return;
        }
        report.message[sizeof report.message - 1] = 0;
        if (got == sizeof report) take(s, &report);
    }
    spare_no_more(s);
    watch_off(&s->watch); // SIGCHLD tells the rest
}

static void ready(struct watch *watch, uint32_t events) {
    (void)events;
    read_reports(CONTAINER(watch, struct supervisor, watch));
}

static struct supervisor *fork_one(const struct request *request, struct ends *ends) {
    int control[2];
    struct supervisor *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->began = began_open();
    if (!s->began) {
        free(s);
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0) {
        began_close(s->began);
        free(s);
        return NULL;
    }
    s->watch = (struct watch){.fd = control[0], .ready = ready};
    s->lean = spool_spent() <= LEAN;
    s->pid = watch_on(&s->watch, EPOLLIN) ? fork() : -1;
    if (s->pid == 0) {
        struct request ours = {0};
        if (request) ours = *request;
        supervise(control[1], s->began, request ? &ours : NULL, ends);
    }
    int error = errno;
    close(control[1]);
    if (s->pid < 0) {
        watch_close(&s->watch);
        began_close(s->began);
        free(s);
        errno = error;
        return NULL;
    }
    s->next = supervisors;
    supervisors = s;
    return s;
}

void supervisors_prepare(void) {
    struct supervisor *s = spares == 0 ? fork_one(NULL, NULL) : NULL;
    if (s) freed(s);
}

static struct supervisor *hand_to_spare(const struct request *request, const struct ends *ends) {
    if (spares == 0 || request->size > HANDOVER_MOST) return NULL;
    for (struct supervisor *s = supervisors; s; s = s->next) {
        if (!s->spare) continue;
        spare_no_more(s);
        *s->began = false;
        kill(s->pid, SIGCONT); // root inside may have stopped it while it was idle
        if (handover_send(s->watch.fd, request, ends)) return s;
        dismiss(s); // it has died, which SIGCHLD is about to tell
    }
    return NULL;
}

struct supervisor *supervisors_start(const struct request *request, struct ends *ends, struct command *command) {
    struct supervisor *s = hand_to_spare(request, ends);
    if (!s) return supervisors_fork(request, ends, command);
    s->command = command;
    return s;
}

struct supervisor *supervisors_fork(const struct request *request, struct ends *ends, struct command *command) {
    struct supervisor *s = fork_one(request, ends);
    if (s) s->command = command;
    return s;
}

bool supervisor_order(struct supervisor *s, struct order order) {
    return s->watch.fd >= 0 && send(s->watch.fd, &order, sizeof order, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

bool supervisors_busy(void) {
    for (struct supervisor *s = supervisors; s; s = s->next)
        if (!s->spare) return true;
    return false;
}

void supervisors_quell(void) {
    for (struct supervisor *s = supervisors; s; s = s->next) {
        if (s->spare) continue;
        kill(s->pid, SIGCONT); // root inside may have stopped it
        supervisor_order(s, (struct order){.kind = ORDER_QUELL});
    }
}

bool supervisors_know(pid_t pid) {
    for (struct supervisor *s = supervisors; s; s = s->next)
        if (s->pid == pid) return true;
    return false;
}

void supervisors_reaped(pid_t pid) {
    for (struct supervisor **link = &supervisors; *link; link = &(*link)->next) {
        struct supervisor *s = *link;
        if (s->pid != pid) continue;
        read_reports(s);
        *link = s->next;
        if (s->command) command_supervisor_lost(s->command, s->began);
        else began_close(s->began);
        dismiss(s);
        loop_free(&s->doomed);
        return;
    }
}
