// stat, list and read.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "fs.h"

void fs_stat(char **args) {
    struct stat st;
    if (lstat(args[0], &st) < 0) fs_fail_errno("stat", args[0]);
    fs_record(AT_FDCWD, args[0], &st, "");
}

void fs_list(char **args) {
    uint64_t limit = fs_number(args[1]);
    int fd = open(args[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) fs_fail_errno("list", args[0]);
    for (struct dirent *entry; errno = 0, (entry = readdir(dir));) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) continue; // it has just gone
        if (limit-- == 0) {
            fs_put(".", 2);
            return;
        }
        fs_record(fd, entry->d_name, &st, entry->d_name);
    }
    if (errno) fs_fail_errno("list", args[0]);
}

void fs_read(char **args) {
    bool from_end = *args[1] == '-';
    uint64_t offset = fs_number(args[1] + from_end);
    uint64_t left = strcmp(args[2], "-") == 0 ? UINT64_MAX : fs_number(args[2]);
    int fd = open(args[0], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); // a FIFO would wait for its writer
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) fs_fail_errno("open", args[0]);
    if (S_ISDIR(st.st_mode)) fs_fail("is_a_directory", "is a directory", args[0]);
    if (!S_ISREG(st.st_mode)) fs_fail("bad_path", "is not a regular file", args[0]);
    if (from_end) offset = (uint64_t)st.st_size - MIN((uint64_t)st.st_size, offset);
    fs_record(AT_FDCWD, args[0], &st, "");
    fs_flush();
    static char bytes[131072];
    while (left > 0) {
        ssize_t got = pread(fd, bytes, (size_t)MIN(left, sizeof bytes), (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fs_fail_errno("read", args[0]);
        if (got == 0) return;
        fs_write_all(1, bytes, (size_t)got, "stdout");
        offset += (uint64_t)got;
        left -= (uint64_t)got;
    }
}
