// pack: a tar stream of a file or directory, with names relative to its parent.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "fs.h"
#include "tar.h"

static struct tar_entry entry;
static bool shrank;

static void put_header(const struct stat *st, char type) {
    static unsigned char header[TAR_HEADER_MAX];
    entry.type = type;
    entry.mode = st->st_mode & 07777;
    entry.mtime = st->st_mtim.tv_sec;
    entry.size = type == '0' ? (uint64_t)st->st_size : 0;
    fs_put(header, tar_format(&entry, st->st_uid, st->st_gid, header));
}

static void put_zeros(uint64_t count) {
    static const char zeros[4096];
    for (; count > 0; count -= MIN(count, sizeof zeros)) fs_put(zeros, (size_t)MIN(count, sizeof zeros));
}

static void pack_file(int fd, const struct stat *st) {
    static char bytes[65536];
    uint64_t left = (uint64_t)st->st_size;
    entry.link[0] = 0;
    put_header(st, '0');
    while (left > 0) {
        ssize_t got = read(fd, bytes, (size_t)MIN(left, sizeof bytes));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fs_fail_errno("read", entry.name);
        if (got == 0) break;
        fs_put(bytes, (size_t)got);
        left -= (uint64_t)got;
    }
    if (left > 0) shrank = true; // the size is promised already
    put_zeros(left + tar_padding((uint64_t)st->st_size));
}

static void pack_link(int dir, const char *name, const struct stat *st) {
    ssize_t got = readlinkat(dir, name, entry.link, sizeof entry.link - 1);
    if (got < 0) return;
    entry.link[got] = 0;
    put_header(st, '2');
    entry.link[0] = 0;
}

static void pack_directory(int fd, const struct stat *st, int depth);

static void pack_entry(int dir, const char *name, int depth) {
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return; // it has just gone
    if (S_ISLNK(st.st_mode)) pack_link(dir, name, &st);
    else if (S_ISFIFO(st.st_mode)) put_header(&st, '6');
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return; // sockets and devices mean nothing elsewhere
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return;
    if (fd < 0 || fstat(fd, &st) < 0) fs_fail_errno("open", entry.name);
    if (S_ISREG(st.st_mode)) pack_file(fd, &st);
    if (S_ISDIR(st.st_mode)) pack_directory(fd, &st, depth);
    else close(fd);
}

// Takes the descriptor over. entry.name is the directory's own.
static void pack_directory(int fd, const struct stat *st, int depth) {
    size_t length = strlen(entry.name);
    if (depth >= FS_DEPTH_MAX || length + 258 > sizeof entry.name) fs_fail("limit", "too deep to be packed", entry.name);
    strcpy(entry.name + length, "/");
    put_header(st, '5');
    DIR *entries = fdopendir(fd);
    if (!entries) fs_fail_errno("list", entry.name);
    for (struct dirent *e; errno = 0, (e = readdir(entries));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        strcpy(entry.name + length + 1, e->d_name);
        pack_entry(fd, e->d_name, depth + 1);
    }
    if (errno) fs_fail_errno("list", entry.name);
    entry.name[length] = 0;
    closedir(entries);
}

void fs_pack(char **args) {
    char buffer[FS_PATH_MAX];
    const char *name;
    struct stat st;
    if (fs_is_root(args[0])) fs_fail("bad_path", "is the root directory", args[0]);
    close(fs_open_parent(args[0], &name, buffer, sizeof buffer));
    strcpy(entry.name, name);
    int fd = open(args[0], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); // here, and only here, a link is followed
    if (fd < 0 || fstat(fd, &st) < 0) fs_fail_errno("open", args[0]);
    if (S_ISREG(st.st_mode)) pack_file(fd, &st);
    else if (S_ISDIR(st.st_mode)) pack_directory(fd, &st, 0);
    else fs_fail("bad_path", "is neither a file nor a directory", args[0]);
    put_zeros(2 * TAR_BLOCK);
    fs_flush();
    if (shrank) fs_fail("io", "a file became shorter while it was read", args[0]);
}
