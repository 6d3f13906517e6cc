// `keeper run`: arguments, the request, and the two processes.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base64.h"
#include "bytes.h"
#include "modes.h"
#include "run.h"

#define LINE_MOST (BASE64_SIZE((size_t)START_MAX) + 2)

void run_names(struct run_names *names, const unsigned char id[ID_SIZE]) {
    for (int i = 0; i < ID_SIZE; i++) sprintf(names->hex + 2 * i, "%02x", id[i]);
    snprintf(names->socket, sizeof names->socket, "./%s.sock", names->hex);
    snprintf(names->marker, sizeof names->marker, "./%s.started", names->hex);
    snprintf(names->outcome, sizeof names->outcome, "./%s.outcome", names->hex);
}

static int usage(void) {
    fprintf(stderr, "keeper run [--dir DIR] FILE|-\nkeeper run --dir DIR --attach EXEC_ID STDOUT_OFFSET STDERR_OFFSET\n");
    return 2;
}

static bool enter(const char *dir) {
    if (mkdir(dir, 0700) < 0 && errno != EEXIST) return false;
    return chdir(dir) == 0;
}

// Reads one line, or all there is. *line_size: without the newline. *size: what was read.
static char *read_line(int fd, size_t *line_size, size_t *size) {
    size_t capacity = 65536;
    char *text = malloc(capacity + 1), *newline = NULL;
    *size = 0;
    while (text && !newline && *size < LINE_MOST) {
        if (*size == capacity) {
            char *larger = realloc(text, 2 * capacity + 1);
            if (!larger) break;
            text = larger;
            capacity *= 2;
        }
        ssize_t got = read(fd, text + *size, capacity - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        newline = memchr(text + *size, '\n', (size_t)got);
        *size += (size_t)got;
    }
    if (text) *line_size = newline ? (size_t)(newline - text) : *size;
    return text;
}

static int spawn(const struct run_names *names, const unsigned char *id) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        setsid(); // it goes on when whoever started us ends our group
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++) dup2(null, fd);
        if (null > 2) close(null);
        close(pair[0]);
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
        run_engine(pair[1], names, id);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return -1;
    }
    return pair[0];
}

static bool send_hello(int engine) {
    struct writer w = {.size = 0};
    write_number(&w, 1, PROTOCOL_VERSION);
    write_number(&w, 2, PROTOCOL_VERSION);
    return run_send(engine, HELLO, 0, w.bytes, w.size);
}

static bool send_start(int engine, const unsigned char *payload, size_t size) {
    static const unsigned char much[4] = {0x7f, 0xff, 0xff, 0xff};
    if (!send_hello(engine)) return false;
    for (; size > PAYLOAD_MAX; payload += PAYLOAD_MAX, size -= PAYLOAD_MAX)
        if (!run_send(engine, MORE, RUN_CHANNEL, payload, PAYLOAD_MAX)) return false;
    return run_send(engine, START, RUN_CHANNEL, payload, size) && run_send(engine, CREDIT, RUN_CHANNEL, much, 4);
}

static int start(const char *dir, const char *file) {
    size_t line_size, size;
    struct request request;
    struct run_names names;
    bool from_stdin = strcmp(file, "-") == 0;
    int fd = from_stdin ? 0 : open(file, O_RDONLY | O_CLOEXEC);
    char *text = fd < 0 ? NULL : read_line(fd, &line_size, &size);
    if (!text) {
        fprintf(stderr, "keeper: read %s: %s\n", file, strerror(errno));
        return 1;
    }
    char *rest = text + MIN(line_size + 1, size);
    size_t rest_size = from_stdin ? size - (size_t)(rest - text) : 0;
    if (line_size > 0 && text[line_size - 1] == '\r') line_size--;
    ssize_t payload = base64_decode(text, line_size);
    if (payload < 0) return run_say_code(REFUSED, BAD_REQUEST, "not base64"), 0;
    if ((size_t)payload > START_MAX) return run_say_code(REFUSED, TOO_LARGE, "the request is larger than 4 MiB"), 0;
    const char *wrong = request_read(&request, (unsigned char *)text, (size_t)payload);
    if (wrong) return run_say_code(REFUSED, BAD_REQUEST, wrong), 0;
    run_names(&names, request.id);
    if (dir) {
        if (!enter(dir)) return run_say_code(REFUSED, INTERNAL, "DIR cannot be used"), 0;
        int marker = open(names.marker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (marker < 0 && errno == EEXIST) return run_say_code(REFUSED, ALREADY_STARTED, "DIR knows this id"), 0;
        if (marker < 0) return run_say_code(REFUSED, INTERNAL, "DIR cannot be written"), 0;
        fsync(marker);
        close(marker);
    }
    int engine = spawn(dir ? &names : NULL, request.id);
    if (engine < 0 || !send_start(engine, (unsigned char *)text, (size_t)payload)) {
        if (dir && engine < 0) unlink(names.marker);
        return run_say_code(REFUSED, NO_RESOURCES, "no process for it"), 0;
    }
    return run_text(engine, rest, rest_size);
}

static bool parse_id(const char *text, unsigned char id[ID_SIZE]) {
    int digits = 0;
    for (; *text; text++) {
        int v = *text >= '0' && *text <= '9' ? *text - '0' : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10 : -1;
        if (*text == '-') continue; // as UUIDs are written, or without
        if (v < 0 || digits == 2 * ID_SIZE) return false;
        id[digits / 2] = (unsigned char)(digits % 2 ? id[digits / 2] | v : v << 4);
        digits++;
    }
    return digits == 2 * ID_SIZE;
}

static int attach(const char *dir, char **args) {
    struct run_names names;
    unsigned char id[ID_SIZE];
    uint64_t offsets[2];
    char *end;
    for (int i = 0; i < 2; i++) {
        offsets[i] = strtoull(args[1 + i], &end, 10);
        if (*end || args[1 + i][0] < '0' || args[1 + i][0] > '9') return usage();
    }
    if (!parse_id(args[0], id)) return usage();
    run_names(&names, id);
    if (chdir(dir) < 0) return run_say_code(ERROR, UNKNOWN_EXEC, "DIR is not there"), 1;
    int engine = socket_connect(names.socket);
    if (engine < 0) return run_tell_outcome(&names, offsets);
    struct writer w = {.size = 0};
    write_bytes(&w, 1, id, ID_SIZE);
    write_number(&w, 2, offsets[0]);
    write_number(&w, 3, offsets[1]);
    write_number(&w, 4, UNLIMITED);
    if (!send_hello(engine) || !run_send(engine, ATTACH, RUN_CHANNEL, w.bytes, w.size))
        return run_tell_outcome(&names, offsets);
    int result = run_text(engine, NULL, 0);
    return result < 0 ? run_tell_outcome(&names, offsets) : result; // it ended just before it heard us
}

int mode_run(int argc, char **argv) {
    const char *dir = NULL;
    signal(SIGPIPE, SIG_IGN);
    hold_standard_descriptors();
    if (argc >= 2 && strcmp(argv[0], "--dir") == 0) {
        dir = argv[1];
        argc -= 2;
        argv += 2;
    }
    if (dir && argc == 4 && strcmp(argv[0], "--attach") == 0) return attach(dir, argv + 1);
    if (argc != 1 || (argv[0][0] == '-' && argv[0][1])) return usage();
    int result = start(dir, argv[0]);
    return result < 0 ? 1 : result;
}
