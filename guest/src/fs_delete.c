// delete and empty: descriptor by descriptor, so that a directory swapped for a link meanwhile leads nowhere.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fs.h"

static unsigned moved; // how many deep directories were brought up

static void empty(int dir, int top, int depth, const char *shown);

static void remove_entry(int dir, const char *name, int top, int depth, const char *shown) {
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT) return;
    if (errno != EISDIR && errno != EPERM) fs_fail_errno("delete", shown);
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return;
    if (errno != ENOTEMPTY && errno != EEXIST) fs_fail_errno("delete", shown);
    if (depth >= FS_DEPTH_MAX) {
        // Deeper than there are descriptors for: up with it, it is met again there.
        char up[48];
        snprintf(up, sizeof up, ".keeper-delete-%d-%u", (int)getpid(), moved++);
        if (renameat(dir, name, top, up) < 0) fs_fail_errno("delete", shown);
        return;
    }
    int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (sub < 0) fs_fail_errno("delete", shown);
    empty(sub, top < 0 ? sub : top, depth + 1, shown);
    if (unlinkat(dir, name, AT_REMOVEDIR) < 0 && errno != ENOENT) fs_fail_errno("delete", shown);
}

// Takes the descriptor over.
static void empty(int dir, int top, int depth, const char *shown) {
    DIR *entries = fdopendir(dir);
    if (!entries) fs_fail_errno("delete", shown);
    for (bool again = true; again;) {
        again = false;
        rewinddir(entries);
        for (struct dirent *e; errno = 0, (e = readdir(entries));) {
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
            remove_entry(dir, e->d_name, top, depth, shown);
            again = true; // until a pass finds nothing: entries may have come up here, or been passed over
        }
        if (errno) fs_fail_errno("delete", shown);
    }
    closedir(entries);
}

void fs_delete_tree(int dir, const char *name, const char *shown) { remove_entry(dir, name, -1, 0, shown); }

void fs_delete(char **args) {
    bool recursive = strcmp(args[1], "1") == 0;
    char buffer[FS_PATH_MAX];
    const char *name;
    if (!recursive && strcmp(args[1], "0") != 0) fs_fail("bad_path", "neither 0 nor 1", args[1]);
    if (fs_is_root(args[0])) fs_fail("bad_path", "is the root directory", args[0]);
    int parent = fs_open_parent(args[0], &name, buffer, sizeof buffer);
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0) fs_fail_errno("delete", args[0]);
    if (recursive) fs_delete_tree(parent, name, args[0]);
    else if (unlinkat(parent, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) < 0) fs_fail_errno("delete", args[0]);
}

void fs_empty(char **args) {
    int dir = open(args[0], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0) fs_fail_errno("empty", args[0]);
    if (fs_is_root(args[0])) fs_fail("bad_path", "is the root directory", args[0]);
    empty(dir, dir, 1, args[0]);
}
