#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bytes.h"
#include "loop.h"
#include "wire.h"

// Nothing that people make is nested so deep. What is, has been made so that it cannot be measured, and counts as too large.
#define DEPTH_MAX 256
// An inode and its name, which an empty file takes, too, and a file whose few bytes lie in the inode itself.
#define LEAST 1024
#define LOOK_AT_CLOCK 8 // entries: on a slow disk each of them can take milliseconds

struct entry {
    uint64_t ino;
    int64_t next; // position of the entry after it
    unsigned short size;
    unsigned char type;
    char name[];
};

// Directories from the root's down to the one that is being read. Each stands after the entry that leads to the next one.
static int open_ones[DEPTH_MAX];
static unsigned depth;
static dev_t device;
static struct measured so_far;

// Entries of the deepest directory.
static char buffer[8192] __attribute__((aligned(8)));
static size_t at, filled;

static void leave_all(void) {
    while (depth > 0) close(open_ones[--depth]);
}

static void count(const struct stat *st) {
    uint64_t bytes = MAX((uint64_t)st->st_blocks * 512, (uint64_t)LEAST);
    // Each of a file's names counts for its part: together they are the file, however often it is met.
    so_far.used += S_ISDIR(st->st_mode) || st->st_nlink == 0 ? bytes : bytes / st->st_nlink;
    if (S_ISREG(st->st_mode)) so_far.largest = MAX(so_far.largest, (uint64_t)st->st_size);
}

void measure_begin(int root) {
    struct stat st;
    leave_all();
    at = filled = 0;
    so_far = (struct measured){0, 0};
    int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // a position of its own
    if (fd < 0) return;
    if (fstat(fd, &st) == 0) device = st.st_dev;
    open_ones[depth++] = fd;
}

// What cannot be opened has just gone, or hides what it holds from the keeper as well: then its own size is all that is known.
static void go_down(const struct entry *entry, const struct stat *st) {
    if (st->st_dev != device) return;
    count(st);
    if (depth == DEPTH_MAX) {
        so_far.used = UNLIMITED;
        leave_all();
        return;
    }
    int fd = openat(open_ones[depth - 1], entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    struct stat opened;
    if (fstat(fd, &opened) < 0 || opened.st_dev != device) { // something was mounted over it meanwhile
        close(fd);
        return;
    }
    if (lseek(open_ones[depth - 1], entry->next, SEEK_SET) < 0) { // it could not be read on afterwards
        close(fd);
        return;
    }
    open_ones[depth++] = fd;
    at = filled = 0;
}

static void go_up(void) {
    close(open_ones[--depth]);
    at = filled = 0;
}

static void look_at(const struct entry *entry) {
    struct stat st;
    if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) return;
    if (fstatat(open_ones[depth - 1], entry->name, &st, AT_SYMLINK_NOFOLLOW) < 0) return; // it has just gone
    if (S_ISDIR(st.st_mode)) go_down(entry, &st);
    else count(&st);
}

static void step(void) {
    if (at < filled) {
        const struct entry *entry = (void *)(buffer + at);
        at += entry->size;
        look_at(entry);
        return;
    }
    long got = syscall(SYS_getdents64, open_ones[depth - 1], buffer, sizeof buffer);
    at = 0;
    filled = got > 0 ? (size_t)got : 0;
    if (got <= 0) go_up();
}

bool measure_some(uint64_t us, struct measured *measured) {
    uint64_t until = now_us() + us;
    for (unsigned steps = 1; depth > 0; steps++) {
        step();
        if (steps % LOOK_AT_CLOCK == 0 && now_us() >= until) break;
    }
    *measured = so_far;
    return depth == 0;
}
