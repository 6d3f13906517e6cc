// Carries bytes between the gateway's end of an engine exec and the keeper's socket.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "loop.h"
#include "modes.h"

#define BUFFER (128 << 10)
#define SILENCE_MS 60000
#define CONNECT_TRIES 400 // of 5 ms: the container may have been started this instant

struct lane {
    int from, to;
    size_t start, end;
    bool ended;
    char bytes[BUFFER];
};

const char *socket_path(void) {
    const char *path = getenv("HERMIT_KEEPER_SOCKET");
    return path && *path ? path : DEFAULT_SOCKET;
}

int socket_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

// False when this way is over. *moved: bytes were read.
static bool carry(struct lane *lane, short from_events, short to_events, bool *moved) {
    *moved = false;
    if (lane->start == lane->end && !lane->ended && from_events) {
        ssize_t got = read(lane->from, lane->bytes, BUFFER);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) lane->ended = true;
        if (got > 0) {
            lane->start = 0;
            lane->end = (size_t)got;
            *moved = true;
            to_events = POLLOUT; // most often there is room: one poll less
        }
    }
    if (lane->start < lane->end && to_events) {
        ssize_t put = write(lane->to, lane->bytes + lane->start, lane->end - lane->start);
        if (put < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (put > 0) lane->start += (size_t)put;
    }
    return !(lane->ended && lane->start == lane->end);
}

static int carry_both(int socket) {
    static struct lane up, down; // to the keeper, to the gateway
    up.from = 0;
    up.to = down.from = socket;
    down.to = 1;
    for (int i = 0; i < 3; i++) {
        int fd = (int[]){0, 1, socket}[i];
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
    uint64_t heard = now_ms();
    for (;;) {
        bool up_waits = up.start < up.end, down_waits = down.start < down.end, moved, ignored;
        struct pollfd fds[] = {
            {.fd = up_waits ? -1 : 0, .events = POLLIN},
            {.fd = down_waits ? 1 : -1, .events = POLLOUT},
            {.fd = socket, .events = (short)((up_waits ? POLLOUT : 0) | (down_waits ? 0 : POLLIN))},
        };
        uint64_t silent = now_ms() - heard;
        if (silent >= SILENCE_MS) return 1;
        if (poll(fds, 3, (int)(SILENCE_MS - silent)) < 0 && errno != EINTR) return 1;
        short hung = fds[2].revents & (POLLHUP | POLLERR);
        if (!carry(&up, fds[0].revents, fds[2].revents & (POLLOUT | POLLERR), &moved)) return 0;
        if (moved) heard = now_ms();
        if (!carry(&down, (short)(fds[2].revents & POLLIN) | hung, fds[1].revents, &ignored)) return 0;
    }
}

// From the mark on every byte is the keeper's; what came before is whatever a shell prints. It is not among the arguments, so that the
// echo of the command line cannot be taken for it.
static bool make_raw(void) {
    static const char mark[] = "hermit-bridge-up\n";
    struct termios terminal;
    if (tcgetattr(0, &terminal) < 0) return false;
    cfmakeraw(&terminal);
    return tcsetattr(0, TCSANOW, &terminal) == 0 && write(1, mark, sizeof mark - 1) == sizeof mark - 1;
}

int mode_bridge(bool terminal) {
    signal(SIGPIPE, SIG_IGN);
    int socket = -1;
    for (int i = 0; i < CONNECT_TRIES && socket < 0; i++) {
        if (i > 0) usleep(5000);
        socket = socket_connect(socket_path());
        if (socket < 0 && errno != ENOENT && errno != ECONNREFUSED) break;
    }
    if (socket < 0) {
        fprintf(stderr, "keeper: connect to %s: %s\n", socket_path(), strerror(errno));
        return 1;
    }
    if (terminal && !make_raw()) {
        fprintf(stderr, "keeper: make the terminal raw: %s\n", strerror(errno));
        return 1;
    }
    return carry_both(socket);
}
