#include "fs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "modes.h"

void (*fs_cleanup)(void);

static char out[65536];
static size_t out_size;

void fs_fail(const char *code, const char *what, const char *name) {
    if (fs_cleanup) fs_cleanup();
    if (out_size > 0 && write(1, out, out_size) < 0) {} // what was found out before still helps
    fprintf(stderr, "%s\t%s%s%s\n", code, what, *name ? ": " : "", name);
    _exit(1);
}

static const char *code_of(int error) {
    switch (error) {
    case ENOENT: return "not_found";
    case EEXIST: return "exists";
    case ENOTDIR: return "not_a_directory";
    case EISDIR: return "is_a_directory";
    case ENOTEMPTY: return "not_empty";
    case EACCES: case EPERM: case EROFS: case EBUSY: case ETXTBSY: return "denied";
    case EFBIG: return fs_room() == UINT64_MAX ? "too_large" : "disk_limit";
    case ENOSPC: case EDQUOT: return "no_space";
    case ENAMETOOLONG: case ELOOP: case EINVAL: case ENXIO: return "bad_path";
    default: return "io";
    }
}

void fs_fail_errno(const char *what, const char *name) {
    char message[FS_PATH_MAX + 128];
    int error = errno;
    snprintf(message, sizeof message, "%s: %s", what, strerror(error));
    fs_fail(code_of(error), message, name);
}

uint64_t fs_room(void) {
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? (uint64_t)most.rlim_cur : UINT64_MAX;
}

void fs_no_room(const char *name) { fs_fail("disk_limit", "larger than what the disk limit leaves", name); }

static void on_signal(int sig) {
    if (fs_cleanup) fs_cleanup();
    _exit(128 + sig);
}

uint64_t fs_number(const char *text) {
    uint64_t n = 0;
    size_t size = strlen(text);
    if (size == 0 || size > 18) fs_fail("bad_path", "not a number", text);
    for (; *text; text++) {
        if (*text < '0' || *text > '9') fs_fail("bad_path", "not a number", text);
        n = n * 10 + (uint64_t)(*text - '0');
    }
    return n;
}

void fs_check_path(const char *path) {
    if (path[0] != '/' || strlen(path) >= FS_PATH_MAX) fs_fail("bad_path", "not an absolute path", path);
}

void fs_write_all(int fd, const void *bytes, size_t size, const char *name) {
    for (const char *p = bytes; size > 0;) {
        ssize_t put = write(fd, p, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) fs_fail_errno("write", name);
        p += put;
        size -= (size_t)put;
    }
}

// A gateway that has died leaves stdin open with nobody at its other end: silence ends the operation, too.
size_t fs_read_stdin(void *to, size_t size, const char *name) {
    const char *given = getenv("HERMIT_KEEPER_STDIN_SILENCE_MS");
    int silence = given ? atoi(given) : 300000; // five times what the gateway bears from its own client
    struct pollfd in = {.fd = 0, .events = POLLIN};
    for (;;) {
        int ready = poll(&in, 1, silence);
        if (ready == 0) fs_fail("io", "nothing more came on stdin", name);
        ssize_t got = ready < 0 ? -1 : read(0, to, size);
        if (got >= 0) return (size_t)got;
        if (errno != EINTR) fs_fail_errno("read stdin", name);
    }
}

void fs_flush(void) {
    fs_write_all(1, out, out_size, "stdout");
    out_size = 0;
}

void fs_put(const void *bytes, size_t size) {
    if (out_size + size > sizeof out) fs_flush();
    if (size > sizeof out) {
        fs_write_all(1, bytes, size, "stdout");
        return;
    }
    memcpy(out + out_size, bytes, size);
    out_size += size;
}

void fs_put_escaped(const char *name) {
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        char escaped[5];
        if (c >= 0x20 && c != 0x7f && c != '\\') {
            fs_put(name, 1);
        } else {
            snprintf(escaped, sizeof escaped, "\\x%02x", c);
            fs_put(escaped, 4);
        }
    }
}

static char type_of(mode_t mode) {
    return S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : S_ISFIFO(mode) ? 'p' : S_ISSOCK(mode) ? 's'
           : S_ISCHR(mode) ? 'c' : 'b';
}

void fs_record(int dir, const char *entry, const struct stat *st, const char *name) {
    char text[160], target[FS_PATH_MAX] = "";
    long long mtime = (long long)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    int size = snprintf(text, sizeof text, "%c %o %u %u %lld %lld\t", type_of(st->st_mode), st->st_mode & 07777u,
                        st->st_uid, st->st_gid, (long long)st->st_size, mtime);
    if (S_ISLNK(st->st_mode)) {
        ssize_t got = readlinkat(dir, entry, target, sizeof target - 1);
        target[got > 0 ? got : 0] = 0;
    }
    fs_put(text, (size_t)size);
    fs_put_escaped(name);
    fs_put("\t", 1);
    fs_put_escaped(target);
    fs_put("", 1);
}

int mode_fs(int argc, char **argv) {
    static const struct { const char *name; int args; void (*run)(char **); } ops[] = {
        {"stat", 1, fs_stat}, {"list", 2, fs_list}, {"read", 3, fs_read}, {"write", 3, fs_write},
        {"mkdir", 1, fs_mkdir}, {"move", 2, fs_move}, {"delete", 2, fs_delete}, {"empty", 1, fs_empty},
        {"pack", 1, fs_pack},
        {"unpack", 3, fs_unpack},
    };
    hold_standard_descriptors();
    umask(0); // modes are given exactly
    signal(SIGXFSZ, SIG_IGN); // a write says it as well, and what is unfinished can then be removed
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
    for (unsigned i = 0; i < 4; i++) signal(ending[i], on_signal);
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (argc < 1 || strcmp(argv[0], ops[i].name) != 0) continue;
        if (argc - 1 != ops[i].args) break;
        fs_check_path(argv[1]);
        ops[i].run(argv + 1);
        fs_flush();
        return 0;
    }
    fs_fail("bad_path", "no such operation, or a wrong number of arguments", argc > 0 ? argv[0] : "");
}
