// move: a rename, or a copy and a delete where the two are on different file systems.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fs.h"

static int target = -1;
static char copy[FS_TEMPORARY]; // the unfinished copy, beside TO

static void remove_copy(void) {
    static bool once; // deleting it may fail as well
    if (!*copy || once) return;
    once = true;
    fs_delete_tree(target, copy, copy);
}

static void keep_attributes(int fd, const struct stat *st, const char *shown) {
    struct timespec times[2] = {st->st_atim, st->st_mtim};
    if (fchown(fd, st->st_uid, st->st_gid) < 0 && errno != EPERM) fs_fail_errno("copy", shown);
    if (fchmod(fd, st->st_mode & 07777) < 0 || futimens(fd, times) < 0) fs_fail_errno("copy", shown);
}

static void copy_file(int from, const char *name, int to, const char *as, const char *shown) {
    struct stat st;
    int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (in < 0 || fstat(in, &st) < 0) fs_fail_errno("copy", shown);
    int out = openat(to, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0) fs_fail_errno("copy", shown);
    fs_copy_bytes(in, out, shown);
    keep_attributes(out, &st, shown);
    if (fsync(out) < 0) fs_fail_errno("copy", shown);
    close(in);
    close(out);
}

static void copy_link(int from, const char *name, int to, const char *as, const char *shown) {
    char text[FS_PATH_MAX];
    ssize_t got = readlinkat(from, name, text, sizeof text - 1);
    if (got < 0) fs_fail_errno("copy", shown);
    text[got] = 0;
    if (symlinkat(text, to, as) < 0) fs_fail_errno("copy", shown);
}

static void copy_any(int from, const char *name, int to, const char *as, int depth, const char *shown);

static void copy_directory(int from, const char *name, int to, const char *as, int depth, const char *shown) {
    struct stat st;
    if (depth >= FS_DEPTH_MAX) fs_fail("limit", "too deep to be copied", shown);
    int in = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0 || fstat(in, &st) < 0 || mkdirat(to, as, 0700) < 0) fs_fail_errno("copy", shown);
    int out = openat(to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = out < 0 ? NULL : fdopendir(in);
    if (!entries) fs_fail_errno("copy", shown);
    for (struct dirent *e; errno = 0, (e = readdir(entries));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        copy_any(in, e->d_name, out, e->d_name, depth + 1, shown);
    }
    if (errno) fs_fail_errno("copy", shown);
    keep_attributes(out, &st, shown);
    closedir(entries);
    close(out);
}

static void copy_any(int from, const char *name, int to, const char *as, int depth, const char *shown) {
    struct stat st;
    if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0) fs_fail_errno("copy", shown);
    if (S_ISREG(st.st_mode)) copy_file(from, name, to, as, shown);
    else if (S_ISLNK(st.st_mode)) copy_link(from, name, to, as, shown);
    else if (S_ISDIR(st.st_mode)) copy_directory(from, name, to, as, depth, shown);
    else if (!S_ISFIFO(st.st_mode)) fs_fail("denied", "a device or socket cannot be copied", shown);
    else if (mkfifoat(to, as, st.st_mode & 0777) < 0) fs_fail_errno("copy", shown);
}

void fs_move(char **args) {
    char from_buffer[FS_PATH_MAX], to_buffer[FS_PATH_MAX];
    const char *from_name, *to_name;
    struct stat st;
    fs_check_path(args[1]);
    int from = fs_open_parent(args[0], &from_name, from_buffer, sizeof from_buffer);
    target = fs_open_parent(args[1], &to_name, to_buffer, sizeof to_buffer);
    if (fstatat(from, from_name, &st, AT_SYMLINK_NOFOLLOW) < 0) fs_fail_errno("move", args[0]);
    bool is_directory = S_ISDIR(st.st_mode);
    if (fstatat(target, to_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (S_ISDIR(st.st_mode) || is_directory))
        fs_fail("exists", "is there already", args[1]);
    if (renameat(from, from_name, target, to_name) == 0) return;
    if (errno != EXDEV) fs_fail_errno("move", args[0]);
    // By chance and not by pid, which is the same in many a sandbox with the same workspace.
    fs_temporary_name(copy);
    fs_cleanup = remove_copy;
    copy_any(from, from_name, target, copy, 0, args[0]);
    if (renameat(target, copy, target, to_name) < 0) fs_fail_errno("move", args[1]);
    *copy = 0;
    fs_delete_tree(from, from_name, args[0]);
}
