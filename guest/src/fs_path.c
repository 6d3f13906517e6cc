// Parents of a path, made or opened.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "fs.h"

bool fs_is_root(const char *path) {
    struct stat st, root;
    return lstat(path, &st) == 0 && stat("/", &root) == 0 && st.st_dev == root.st_dev && st.st_ino == root.st_ino;
}

int fs_open_parent(const char *path, const char **last, char *buffer, size_t size) {
    size_t length = strlen(path);
    if (length >= size) fs_fail("bad_path", "too long", path);
    memcpy(buffer, path, length + 1);
    while (length > 1 && buffer[length - 1] == '/') buffer[--length] = 0;
    char *slash = strrchr(buffer, '/');
    *last = slash + 1;
    if (!**last || strcmp(*last, ".") == 0 || strcmp(*last, "..") == 0) fs_fail("bad_path", "names no entry", path);
    *slash = 0;
    int dir = open(slash == buffer ? "/" : buffer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 && errno == EACCES) dir = open(slash == buffer ? "/" : buffer, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) fs_fail_errno("open the parent", path);
    return dir;
}

void fs_make_parents(const char *path, bool last_too) {
    char part[FS_PATH_MAX];
    size_t length = strlen(path);
    memcpy(part, path, length + 1);
    while (length > 1 && part[length - 1] == '/') part[--length] = 0;
    for (char *p = part + 1;; p++) {
        if (*p && *p != '/') continue;
        bool last = !*p;
        if (last && !last_too) return;
        *p = 0;
        struct stat st;
        if (mkdir(part, 0755) < 0) {
            int error = errno; // EEXIST, but also EROFS or EACCES for what is there
            if (stat(part, &st) < 0) {
                errno = error;
                fs_fail_errno("make a directory", part);
            }
            if (!S_ISDIR(st.st_mode)) fs_fail(last ? "exists" : "not_a_directory", "is not a directory", part);
        }
        if (last) return;
        *p = '/';
    }
}

void fs_temporary_name(char name[FS_TEMPORARY]) {
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) < 0) fs_fail_errno("find a name", "");
    snprintf(name, FS_TEMPORARY, ".keeper-%016llx", (unsigned long long)random);
}

void fs_copy_bytes(int from, int to, const char *name) {
    static char bytes[65536];
    for (;;) {
        ssize_t got = read(from, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fs_fail_errno("read", name);
        if (got == 0) return;
        fs_write_all(to, bytes, (size_t)got, name);
    }
}
