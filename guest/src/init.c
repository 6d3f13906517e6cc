// PID 1: everything that happens, happens in its one loop.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "child.h"
#include "command.h"
#include "connection.h"
#include "init.h"
#include "modes.h"
#include "oom.h"
#include "tree.h"
#include "version.h"

unsigned char boot_id[16];

bool keeper_ending;

static void reap(void) {
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) supervisors_reaped(pid);
}

static void signal_ready(struct watch *watch, uint32_t events) {
    (void)events;
    struct signalfd_siginfo info;
    while (read(watch->fd, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD) keeper_ending = true;
    reap();
}

void hold_standard_descriptors(void) {
    int fd;
    do fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd < 2);
    if (fd > 2) close(fd);
}

bool keeper_prepare(void) {
    static struct watch signals = {.ready = signal_ready};
    hold_standard_descriptors();
    prctl(PR_SET_DUMPABLE, 0);
    if (getpid() != 1) prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getrandom(boot_id, sizeof boot_id, 0) != sizeof boot_id) return false;
    child_prepare();
    const char *cgroup = getenv("HERMIT_KEEPER_CGROUP");
    oom_open(cgroup ? cgroup : "/sys/fs/cgroup");
    sigset_t handled, blocked;
    sigemptyset(&handled);
    sigaddset(&handled, SIGCHLD);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGINT);
    sigfillset(&blocked); // nothing that a command sends interrupts us; KILL and STOP do not reach a PID 1
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    signals.fd = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
    return loop_open() >= 0 && signals.fd >= 0 && watch_on(&signals, EPOLLIN);
}

void keeper_turn(void) {
    int commands = command_tick_ms(), disk = disk_tick_ms();
    loop_turn(commands < 0 || disk < 0 ? MAX(commands, disk) : MIN(commands, disk));
    command_tick();
    disk_tick();
    connections_sweep();
}

int mode_init(void) {
    const char *path = socket_path();
    if (!keeper_prepare() || !connections_listen(path)) {
        fprintf(stderr, "keeper: listen on %s: %s\n", path, strerror(errno));
        return 1;
    }
    supervisors_prepare();
    while (!keeper_ending) keeper_turn();
    unlink(path);
    if (getpid() == 1) return 0; // the kernel kills all the rest
    for (int pass = 0; pass < 100 && tree_kill(getpid(), NULL) > 0; pass++) {
        usleep(5000);
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
    }
    return 0;
}
