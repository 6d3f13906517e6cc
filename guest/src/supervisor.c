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
#include "loop.h"
#include "tree.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define KILL_PAUSE_MAX_MS 20

static struct {
    enum { STARTING, RUNNING, TERMINATING, KILLING, ENDED } phase;
    int control, signals, failures, slave;
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
    int how;
    bool killed;
} self;

static void tell(const struct report *report) {
    while (send(self.control, report, sizeof *report, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

_Noreturn static void refuse(int code, const char *what, int error) {
    struct report report = {.kind = REPORT_REFUSED, .code = code};
    snprintf(report.message, sizeof report.message, error ? "%s: %s" : "%s", what, strerror(error));
    tell(&report);
    _exit(0);
}

static void report_end(void) {
    struct report report = {
        .kind = REPORT_ENDED,
        .how = self.how,
        .exit_code = WIFEXITED(self.status) ? WEXITSTATUS(self.status) : 0,
        .signal = WIFSIGNALED(self.status) ? WTERMSIG(self.status) : 0,
        .killed = self.killed,
        .duration_us = self.ended_us - self.started_us,
    };
    if (!report.how) report.how = WIFSIGNALED(self.status) ? SIGNALED : EXITED;
    self.phase = ENDED;
    tell(&report);
}

static void close_all_but(const struct ends *ends) {
    int keep[] = {ends->in_read, ends->out_read[0], ends->out_read[1], ends->out_write[0], ends->out_write[1],
                  ends->master, ends->control};
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

static void open_terminal(struct ends *ends) {
    self.slave = ioctl(ends->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (self.slave < 0) {
        char name[64];
        unsigned number;
        if (ioctl(ends->master, TIOCGPTN, &number) < 0) refuse(INTERNAL, "open the terminal", errno);
        snprintf(name, sizeof name, "/dev/pts/%u", number);
        self.slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    if (self.slave < 0) refuse(INTERNAL, "open the terminal", errno);
}

static void start(struct request *request, struct ends *ends) {
    struct child child = {.terminal = ends->master >= 0};
    if (!request_vectors(request, &child.vectors)) refuse(NO_RESOURCES, "read the request", ENOMEM);
    if (!user_find(child.vectors.user, &child.user)) refuse(USER_NOT_FOUND, "no such user or group", 0);
    if (child.terminal) {
        open_terminal(ends);
        child.in = child.out = child.err = self.slave;
    } else {
        child.in = ends->in_read;
        child.out = ends->out_write[0];
        child.err = ends->out_write[1];
    }
    int failures[2];
    if (pipe2(failures, O_CLOEXEC) < 0) refuse(NO_RESOURCES, "pipe", errno);
    child.failures = failures[1];
    self.started_us = now_us();
    self.first = fork();
    if (self.first == 0) child_exec(&child);
    if (self.first < 0) refuse(NO_RESOURCES, "fork", errno);
    close(failures[1]);
    self.failures = failures[0];
    fcntl(self.failures, F_SETFL, O_NONBLOCK);
    close_if_open(&ends->in_read);
    close_if_open(&ends->out_write[0]);
    close_if_open(&ends->out_write[1]);
    free(child.vectors.argv);
    free(request->payload); // may be 4 MiB, and we may live long
}

static void exec_result(void) {
    struct child_failure failure;
    ssize_t got = read(self.failures, &failure, sizeof failure);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close_if_open(&self.failures);
    if (got == sizeof failure) {
        while (waitpid(self.first, NULL, 0) < 0 && errno == EINTR) {}
        refuse(failure.code, failure.what, failure.error);
    }
    // The pipe closes without a word also when the child was killed before execve: END tells of it then.
    struct report report = {.kind = REPORT_STARTED, .pid = self.first};
    if (self.phase == STARTING) self.phase = RUNNING;
    tell(&report);
}

static void terminate(int how) {
    if (self.phase != RUNNING && self.phase != STARTING) return;
    self.how = how;
    self.deadline_ms = 0;
    self.phase = TERMINATING;
    self.kill_at_ms = now_ms() + self.grace_ms;
    pid_t me = getpid();
    tree_signal(me, SIGTERM, NULL);
    tree_signal(me, SIGCONT, NULL); // a stopped process would hear TERM only after the grace
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
    ssize_t got = recv(self.control, &order, sizeof order, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        if (self.draining) { // PID 1 needs us no more, but the children that are left may still write
            close_if_open(&self.control);
            return;
        }
        close_if_open(&self.control);
        self.how = CANCELLED; // nobody is left who could end this command
        kill_pass();
        return;
    }
    if (got != sizeof order) return;
    if (order.kind == ORDER_CANCEL) terminate(CANCELLED);
    if (order.kind == ORDER_SIGNAL) signal_command(order.signal);
    if (order.kind == ORDER_RELEASE) self.draining = true;
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
    uint64_t at = self.phase == RUNNING || self.phase == STARTING ? self.deadline_ms : 0;
    if (self.phase == TERMINATING) at = self.kill_at_ms;
    if (at == 0) return -1;
    uint64_t now = now_ms();
    return at <= now ? 0 : (int)MIN(at - now + 1, 1000000u);
}

static void act_on_time(void) {
    uint64_t now = now_ms();
    if (self.deadline_ms && now >= self.deadline_ms && self.phase <= RUNNING) terminate(TIMED_OUT);
    if (self.phase == TERMINATING && now >= self.kill_at_ms) kill_pass();
    else if (self.phase == KILLING) kill_pass();
}

static void turn(void) {
    struct pollfd fds[] = {
        {.fd = self.control, .events = POLLIN},
        {.fd = self.signals, .events = POLLIN},
        {.fd = self.failures, .events = POLLIN},
        {.fd = self.draining ? self.drains[0] : -1, .events = POLLIN},
        {.fd = self.draining ? self.drains[1] : -1, .events = POLLIN},
    };
    poll(fds, 5, timeout_ms());
    if (fds[2].revents) exec_result();
    struct signalfd_siginfo info;
    if (fds[1].revents && read(self.signals, &info, sizeof info) < 0) {} // only a reason to look at the children
    bool children = reap();
    if (self.first_ended && self.slave >= 0) close_if_open(&self.slave);
    if (self.first_ended && self.failures >= 0) exec_result();
    if (self.first_ended && self.phase == RUNNING) report_end();
    if (!children) {
        self.ended_us = self.phase == ENDED ? self.ended_us : now_us();
        if (self.phase != ENDED) report_end();
        _exit(0);
    }
    if (fds[0].revents) obey();
    if (fds[3].revents) drain(&self.drains[0]);
    if (fds[4].revents) drain(&self.drains[1]);
    act_on_time();
}

_Noreturn void supervise(struct request *request, struct ends *ends) {
    prctl(PR_SET_NAME, "keeper-command");
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    close_all_but(ends);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    self.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    self.control = ends->control;
    self.failures = self.slave = -1;
    self.master = ends->master;
    self.terminal = ends->master >= 0;
    self.drains[0] = self.terminal ? ends->master : ends->out_read[0];
    self.drains[1] = ends->out_read[1];
    self.grace_ms = request->grace_ms;
    self.deadline_ms = request->timeout_ms ? now_ms() + request->timeout_ms : 0;
    start(request, ends);
    for (;;) turn();
}
