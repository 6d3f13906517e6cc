// write and mkdir.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "fs.h"

static int parent = -1;
static char temporary[FS_TEMPORARY];

static void remove_temporary(void) {
    if (*temporary) unlinkat(parent, temporary, 0);
}

static int make_temporary(const char *path) {
    for (int i = 0; i < 100; i++) {
        char name[FS_TEMPORARY];
        fs_temporary_name(name);
        int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) break;
        strcpy(temporary, name);
        fs_cleanup = remove_temporary;
        return fd;
    }
    fs_fail_errno("write beside", path);
}

static mode_t parse_mode(const char *text) {
    char *end;
    unsigned long mode = strtoul(text, &end, 8);
    if (*text < '0' || *text > '7' || *end || mode > 07777) fs_fail("bad_path", "not a mode", text);
    return (mode_t)mode;
}

// Reads stdin; with a length, not a byte more than that.
static void receive(int fd, uint64_t left, bool exact, const char *path) {
    static char bytes[131072];
    while (left > 0) {
        size_t got = fs_read_stdin(bytes, (size_t)MIN(left, sizeof bytes), path);
        if (got == 0 && exact) fs_fail("io", "stdin ended too early", path);
        if (got == 0) return;
        fs_write_all(fd, bytes, got, path);
        left -= got;
    }
}

void fs_write(char **args) {
    const char *path = args[0], *name;
    bool exact = strcmp(args[1], "-") != 0;
    uint64_t length = exact ? fs_number(args[1]) : UINT64_MAX;
    bool keep = strcmp(args[2], "-") == 0;
    mode_t mode = keep ? 0644 : parse_mode(args[2]);
    char buffer[FS_PATH_MAX];
    if (exact && length > fs_room()) fs_no_room(path);
    if (path[strlen(path) - 1] == '/') fs_fail("is_a_directory", "names a directory", path);
    fs_make_parents(path, false);
    parent = fs_open_parent(path, &name, buffer, sizeof buffer);
    struct stat old;
    bool there = fstatat(parent, name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISDIR(old.st_mode)) fs_fail("is_a_directory", "is a directory", path);
    if (there && !S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) fs_fail("bad_path", "is not a regular file", path);
    if (there && keep && S_ISREG(old.st_mode)) mode = old.st_mode & 0777; // the kernel drops set-id bits at a write, too
    int fd = make_temporary(path);
    receive(fd, length, exact, path);
    // As an overwrite in place would, where we may; before fchmod, since chown clears bits.
    if (there && S_ISREG(old.st_mode) && fchown(fd, old.st_uid, old.st_gid) < 0) errno = 0;
    if (fchmod(fd, mode) < 0 || fsync(fd) < 0) fs_fail_errno("write", path);
    struct stat st;
    if (fstat(fd, &st) < 0 || renameat(parent, temporary, parent, name) < 0) fs_fail_errno("rename over", path);
    *temporary = 0;
    fsync(parent); // the name as well; a directory that cannot be synced is no failure
    fs_record(parent, name, &st, "");
    if (there) fs_put("replaced", sizeof "replaced");
}

void fs_mkdir(char **args) { fs_make_parents(args[0], true); }
