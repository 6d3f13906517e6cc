#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "bytes.h"
#include "child.h"
#include "handover.h"
#include "loop.h"
#include "tree.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define KILL_PAUSE_MAX_MS 20

static int control, signals;
static began *began_mark;

// The command in hand.
static struct {
    enum { RUNNING, TERMINATING, KILLING, ENDED } phase;
    int slave;
    int drains[2]; // read into nothing once PID 1 has let go of them
    bool draining, terminal;
    int master;
    pid_t first;
    bool first_ended;
    int status;
    uint64_t started_us, ended_us;
    uint64_t deadline_ms, kill_at_ms; // 0: none
    uint64_t grace_ms;
    int pause_ms;
    int how; // 0: as its first process ends
    bool killed;
    bool told; // its end has been reported, and what it left behind is being ended
    bool free; // nothing of it is left, and PID 1 knows
} self;

static void tell(const struct report *report) {
    while (send(control, report, sizeof *report, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

static bool refuse(int code, const char *what, int error) {
    struct report report = {.kind = REPORT_REFUSED, .code = code, .free = true};
    snprintf(report.message, sizeof report.message, error ? "%s: %s" : "%s", what, strerror(error));
    self.free = true;
    tell(&report);
    return false;
}

static void report_end(bool alone) {
    struct report report = {
        .kind = REPORT_ENDED,
        .how = self.how,
        .exit_code = WIFEXITED(self.status) ? WEXITSTATUS(self.status) : 0,
        .signal = WIFSIGNALED(self.status) ? WTERMSIG(self.status) : 0,
        .killed = self.killed,
        .free = alone,
        .duration_us = self.ended_us - self.started_us,
    };
    if (!report.how) report.how = WIFSIGNALED(self.status) ? SIGNALED : EXITED;
    self.phase = ENDED;
    self.free = alone;
    tell(&report);
}

static void close_all_but(const struct ends *ends) {
    int keep[] = {ends->in_read, ends->out_read[0], ends->out_read[1], ends->out_write[0], ends->out_write[1],
                  ends->master, control};
    int highest = 2;
    unsigned count = sizeof keep / sizeof *keep;
    // Sorted by selection: there are seven. What lies between two of them is closed.
    for (;;) {
        int next = -1;
        for (unsigned i = 0; i < count; i++)
            if (keep[i] > highest && (next < 0 || keep[i] < next)) next = keep[i];
        unsigned last = next < 0 ? ~0u : (unsigned)next - 1;
        if ((unsigned)highest + 1 <= last && syscall(SYS_close_range, (unsigned)highest + 1, last, 0u) < 0)
            for (unsigned fd = (unsigned)highest + 1; fd <= MIN(last, 16384u); fd++) close((int)fd);
        if (next < 0) return;
        highest = next;
    }
}

static void close_if_open(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void close_ends(struct ends *ends) {
    int *all[] = {&ends->in_read, &ends->out_read[0], &ends->out_read[1], &ends->out_write[0], &ends->out_write[1], &ends->master};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) close_if_open(all[i]);
}

static bool open_terminal(const struct ends *ends) {
    self.slave = ioctl(ends->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (self.slave < 0) {
        char name[64];
        unsigned number;
        if (ioctl(ends->master, TIOCGPTN, &number) < 0) return false;
        snprintf(name, sizeof name, "/dev/pts/%u", number);
        self.slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    return self.slave >= 0;
}

static bool fork_child(struct child *child, const struct ends *ends, uint64_t file_most) {
    if (!user_find(child->vectors.user, &child->user)) return refuse(USER_NOT_FOUND, "no such user or group", 0);
    child->terminal = self.terminal;
    child->file_most = file_most;
    child->began = began_mark;
    if (self.terminal) {
        if (!open_terminal(ends)) return refuse(INTERNAL, "open the terminal", errno);
        child->in = child->out = child->err = self.slave;
    } else {
        child->in = ends->in_read;
        child->out = ends->out_write[0];
        child->err = ends->out_write[1];
    }
    self.started_us = now_us();
    self.first = child_start(child);
    if (self.first < 0) return refuse(NO_RESOURCES, "fork", errno);
    if (child->failure.code == 0 && *began_mark) return true;
    while (waitpid(self.first, NULL, 0) < 0 && errno == EINTR) {}
    if (child->failure.code == 0) return refuse(INTERNAL, "its process was killed before the program began", 0);
    return refuse(child->failure.code, child->failure.what, child->failure.error);
}

static bool start(struct request *request, struct ends *ends) {
    struct child child;
    if (!request_vectors(request, &child.vectors)) return refuse(NO_RESOURCES, "read the request", ENOMEM);
    bool began = fork_child(&child, ends, request->file_most);
    free(child.vectors.argv);
    if (!began) return false;
    tell(&(struct report){.kind = REPORT_STARTED, .pid = self.first});
    close_if_open(&ends->in_read);
    close_if_open(&ends->out_write[0]);
    close_if_open(&ends->out_write[1]);
    return true;
}

static void terminate(int how) {
    if (self.phase != RUNNING) return;
    self.how = how;
    self.deadline_ms = 0;
    self.phase = TERMINATING;
    self.kill_at_ms = now_ms() + self.grace_ms;
    pid_t me = getpid();
    tree_signal(me, SIGTERM, NULL);
    tree_signal(me, SIGCONT, NULL); // a stopped process would hear TERM only after the grace
}

static void quell(void) {
    if (self.phase == ENDED) {
        self.told = true;
        self.phase = RUNNING;
    }
    terminate(0);
}

static void kill_pass(void) {
    self.phase = KILLING;
    if (tree_kill(getpid(), NULL) > 0) self.killed = true;
    self.pause_ms = MIN(self.pause_ms * 2 + 1, KILL_PAUSE_MAX_MS);
}

static void signal_command(int sig) {
    if (self.first_ended) return; // its number may be another's by now
    pid_t group = self.terminal ? tcgetpgrp(self.master) : self.first;
    if (group <= 0) group = self.first;
    kill(-group, sig);
}

static void obey(void) {
    struct order order;
    ssize_t got = recv(control, &order, sizeof order, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        if (self.draining) { // PID 1 needs us no more, but the children that are left may still write
            close_if_open(&control);
            return;
        }
        close_if_open(&control);
        self.how = CANCELLED; // nobody is left who could end this command
        kill_pass();
        return;
    }
    if (got != sizeof order) return;
    if (order.kind == ORDER_CANCEL) terminate(CANCELLED);
    if (order.kind == ORDER_SIGNAL) signal_command(order.signal);
    if (order.kind == ORDER_RELEASE) self.draining = true;
    if (order.kind == ORDER_QUELL) quell();
}

static void drain(int *fd) {
    static char nothing[65536];
    ssize_t got = read(*fd, nothing, sizeof nothing);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close_if_open(fd);
}

// False when no child is left, and so no descendant: a subreaper inherits each of them when its parent dies.
static bool reap(void) {
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid == 0) return true;
        if (pid < 0) return errno != ECHILD;
        if (pid != self.first || self.first_ended) continue;
        self.first_ended = true;
        self.status = status;
        self.ended_us = now_us();
    }
}

static int timeout_ms(void) {
    if (self.phase == KILLING) return self.pause_ms;
    uint64_t at = self.phase == RUNNING ? self.deadline_ms : 0;
    if (self.phase == TERMINATING) at = self.kill_at_ms;
    if (at == 0) return -1;
    uint64_t now = now_ms();
    return at <= now ? 0 : (int)MIN(at - now + 1, 1000000u);
}

static void act_on_time(void) {
    uint64_t now = now_ms();
    if (self.deadline_ms && now >= self.deadline_ms && self.phase == RUNNING) terminate(TIMED_OUT);
    if (self.phase == TERMINATING && now >= self.kill_at_ms) kill_pass();
    else if (self.phase == KILLING) kill_pass();
}

// False when nothing of the command is left.
static bool turn(void) {
    struct pollfd fds[] = {
        {.fd = control, .events = POLLIN},
        {.fd = signals, .events = POLLIN},
        {.fd = self.draining ? self.drains[0] : -1, .events = POLLIN},
        {.fd = self.draining ? self.drains[1] : -1, .events = POLLIN},
    };
    poll(fds, 4, timeout_ms());
    struct signalfd_siginfo info;
    if (fds[1].revents && read(signals, &info, sizeof info) < 0) {} // only a reason to look at the children
    bool children = reap();
    if (self.first_ended && self.slave >= 0) close_if_open(&self.slave);
    if (self.first_ended && self.phase == RUNNING) report_end(!children);
    if (!children) {
        if (self.phase == ENDED || self.told) return false;
        self.ended_us = now_us();
        report_end(true);
        return false;
    }
    if (fds[0].revents) obey();
    if (fds[2].revents) drain(&self.drains[0]);
    if (fds[3].revents) drain(&self.drains[1]);
    act_on_time();
    return true;
}

// `inherited` is freed as soon as it is needed no more: it may be 4 MiB, and a command may live long.
static void work(struct request *request, struct ends *ends, unsigned char *inherited) {
    memset(&self, 0, sizeof self);
    self.slave = -1;
    self.master = ends->master;
    self.terminal = ends->master >= 0;
    self.grace_ms = request->grace_ms;
    self.deadline_ms = request->timeout_ms ? now_ms() + request->timeout_ms : 0;
    bool began = start(request, ends);
    free(inherited);
    // Until they are drained they are held open: whoever writes to them must not die of it.
    self.drains[0] = self.terminal ? ends->master : ends->out_read[0];
    self.drains[1] = ends->out_read[1];
    while (began && turn()) {}
    if (!self.free || control < 0) _exit(0);
    close_if_open(&self.slave);
    close_ends(ends);
}

_Noreturn void supervise(int control_end, began *began, struct request *request, struct ends *ends) {
    struct ends none = {-1, -1, {-1, -1}, {-1, -1}, -1};
    control = control_end;
    began_mark = began;
    prctl(PR_SET_NAME, "keeper-command");
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    close_all_but(request ? ends : &none);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (request) work(request, ends, request->payload);
    struct request handed;
    struct ends theirs;
    while (handover_receive(control, &handed, &theirs)) work(&handed, &theirs, NULL);
    _exit(0);
}
