// Starts a keeper where it cannot be PID 1: in a machine that has an init of its own.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "connection.h"
#include "modes.h"

#define TRIES 1000 // of 5 ms
#define PAUSE_US 5000

static int failed(const char *what, const char *path) {
    fprintf(stderr, "keeper: %s %s: %s\n", what, path, strerror(errno));
    return 1;
}

// Two that start at once must not unlink each other's socket.
static int lock_for(const char *path) {
    char lock[sizeof((struct sockaddr_un *)0)->sun_path + 8];
    snprintf(lock, sizeof lock, "%s.lock", path);
    int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    while (flock(fd, LOCK_EX) < 0)
        if (errno != EINTR) {
            close(fd);
            return -1;
        }
    return fd;
}

// Whoever started us waits for the end of our output; and our working directory would keep a file system busy.
static void leave_everything(void) {
    setsid();
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
    if (null > 2) close(null);
    if (chdir("/") < 0) {} // it stays where it is then, which does no harm
}

static int wait_for(pid_t keeper, const char *path) {
    for (int i = 0; i < TRIES; i++) {
        int socket = socket_connect(path);
        if (socket >= 0) {
            close(socket);
            return 0;
        }
        int status;
        if (waitpid(keeper, &status, WNOHANG) == keeper) {
            errno = ECHILD;
            break;
        }
        usleep(PAUSE_US);
    }
    return failed("start a keeper at", path);
}

static int start(void) {
    const char *path = socket_path();
    if (!directory_is_ours(path)) {
        errno = EPERM;
        return failed("use the directory of", path);
    }
    int lock = lock_for(path);
    if (lock < 0) return failed("lock", path);
    int other = socket_connect(path);
    if (other >= 0) {
        close(other);
        return 0; // one is there already
    }
    fflush(NULL);
    pid_t keeper = fork();
    if (keeper < 0) return failed("fork for", path);
    if (keeper > 0) return wait_for(keeper, path);
    close(lock); // it belongs to the one who waits
    leave_everything();
    return mode_init();
}

int mode_daemon(bool print_env) {
    pid_t caller = getpid();
    int code = start();
    return print_env && code == 0 && getpid() == caller ? mode_env() : code;
}
