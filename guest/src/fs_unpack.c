// unpack: a tar stream into a directory, entry by entry, never through a link and never out of it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "fs.h"
#include "tar.h"

static int root;
static uint64_t bytes_left, entries_left, room;
static char buffer[65536];

static void read_exactly(void *to, size_t size) {
    for (char *p = to; size > 0;) {
        size_t got = fs_read_stdin(p, size, "");
        if (got == 0) fs_fail("bad_archive", "the archive is cut off", "");
        p += got;
        size -= got;
    }
}

static void skip(uint64_t size) {
    for (; size > 0; size -= MIN(size, sizeof buffer)) read_exactly(buffer, (size_t)MIN(size, sizeof buffer));
}

static void refused(const char *reason, const char *name) {
    fs_put("refused\t", 8);
    fs_put(reason, strlen(reason));
    fs_put("\t", 1);
    fs_put_escaped(name);
    fs_put("", 1);
}

// Opens the directory that `name` goes into, making what is missing, and cuts `name` down to its last part.
// NULL, or the reason why not. *dir is -1 if the name is the root directory itself.
static const char *walk(char *name, bool make, int *dir, char **last) {
    *dir = -1;
    *last = NULL;
    if (*name == '/') return "absolute";
    int at = fcntl(root, F_DUPFD_CLOEXEC, 3);
    if (at < 0) fs_fail_errno("open", name);
    for (char *rest = name, *part; (part = strsep(&rest, "/"));) {
        const char *reason = NULL;
        if (!*part || strcmp(part, ".") == 0) continue;
        if (strcmp(part, "..") == 0) reason = "parent";
        else if (strlen(part) > 255) reason = "name";
        if (!reason && *last) {
            int next = openat(at, *last, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (next < 0 && errno == ENOENT && make && (mkdirat(at, *last, 0755) == 0 || errno == EEXIST))
                next = openat(at, *last, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (next < 0 && errno != ENOTDIR && errno != ELOOP && errno != ENOENT) fs_fail_errno("open", *last);
            struct stat st;
            if (next < 0)
                reason = fstatat(at, *last, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) ? "link" : "not_a_directory";
            close(at);
            at = next;
        }
        if (reason) {
            if (at >= 0) close(at);
            return reason;
        }
        *last = part;
    }
    if (*last) *dir = at;
    else close(at);
    return NULL;
}

static int unfinished_in = -1;
static const char *unfinished;

static void remove_unfinished(void) {
    if (unfinished) unlinkat(unfinished_in, unfinished, 0);
}

static const char *make_file(int dir, const char *last, const struct tar_entry *e) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = e->mtime}};
    int fd = openat(dir, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) fs_fail_errno("create", e->name);
    unfinished_in = dir;
    unfinished = last;
    fs_cleanup = remove_unfinished;
    for (uint64_t left = e->size; left > 0;) {
        size_t size = (size_t)MIN(left, sizeof buffer);
        read_exactly(buffer, size);
        fs_write_all(fd, buffer, size, e->name);
        left -= size;
    }
    if (fchmod(fd, e->mode & 0777) < 0 || futimens(fd, times) < 0 || close(fd) < 0) fs_fail_errno("create", e->name);
    unfinished = NULL;
    return NULL;
}

static const char *make_directory(int dir, const char *last, const struct tar_entry *e) {
    struct stat st;
    if (mkdirat(dir, last, 0700) < 0 && errno != EEXIST) fs_fail_errno("create", e->name);
    if (fstatat(dir, last, &st, AT_SYMLINK_NOFOLLOW) < 0) fs_fail_errno("create", e->name);
    if (S_ISLNK(st.st_mode)) return "link";
    if (!S_ISDIR(st.st_mode)) return "not_a_directory";
    int fd = openat(dir, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    // Its owner can always go in: what belongs into it comes later. One of somebody else's stays as it is.
    if (fd < 0 || (fchmod(fd, (e->mode & 0777) | 0700) < 0 && errno != EPERM)) fs_fail_errno("create", e->name);
    close(fd);
    return NULL;
}

static const char *make_hard_link(int dir, const char *last, const struct tar_entry *e) {
    static char target[TAR_NAME_MAX];
    char *target_last;
    int target_dir;
    struct stat st;
    strcpy(target, e->link);
    const char *reason = walk(target, false, &target_dir, &target_last);
    if (reason || !target_last) return "hard_link";
    bool fits = fstatat(target_dir, target_last, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
    if (fits && linkat(target_dir, target_last, dir, last, 0) < 0) {
        if (errno != EPERM && errno != EACCES) fs_fail_errno("link", e->name);
        fits = false; // the kernel does not let a user link what is not theirs
    }
    close(target_dir);
    return fits ? NULL : "hard_link";
}

// Whether a symbolic link at `name` could lead out of the root. A `..` after a name is not followed in thought: that
// name may be a link itself. In front, it goes up from a directory that is no link, since `walk` got there.
static bool leads_out(const char *name, const char *target) {
    int depth = -1; // of the directory that the link is in
    bool down = false;
    if (*target == '/') return true;
    for (const char *part = name; *part; part += strcspn(part, "/"), part += strspn(part, "/"))
        if (strcspn(part, "/") != 1 || *part != '.') depth++;
    for (const char *part = target; *part; part += strcspn(part, "/"), part += strspn(part, "/")) {
        size_t length = strcspn(part, "/");
        if (length == 1 && *part == '.') continue;
        if (length != 2 || part[0] != '.' || part[1] != '.') down = true;
        else if (down || depth-- == 0) return true;
    }
    return false;
}

static const char *clear_way(int dir, const char *last) {
    struct stat st;
    if (fstatat(dir, last, &st, AT_SYMLINK_NOFOLLOW) < 0) return NULL;
    if (S_ISDIR(st.st_mode)) return "is_a_directory";
    if (unlinkat(dir, last, 0) < 0 && errno != ENOENT) fs_fail_errno("replace", last);
    return NULL;
}

static const char *extract(struct tar_entry *e) {
    static char name[TAR_NAME_MAX];
    char *last;
    int dir;
    if (!strchr("0125", e->type)) return strchr("346", e->type) ? "device" : "type";
    if (e->mode & 06000) return "set_id";
    if (!*e->name) return "name";
    strcpy(name, e->name);
    const char *reason = walk(name, true, &dir, &last);
    if (reason) return reason;
    if (!last) return e->type == '5' ? NULL : "name";
    if (e->type == '2' && leads_out(e->name, e->link)) reason = "link";
    else if (e->type != '5') reason = e->type == '1' && strcmp(e->link, e->name) == 0 ? "hard_link" : clear_way(dir, last);
    if (!reason && e->type == '0') {
        reason = make_file(dir, last, e);
        e->size = 0; // read
    } else if (!reason && e->type == '5') {
        reason = make_directory(dir, last, e);
    } else if (!reason && e->type == '1') {
        reason = make_hard_link(dir, last, e);
    } else if (!reason && (!*e->link || symlinkat(e->link, dir, last) < 0)) {
        if (*e->link) fs_fail_errno("link", e->name);
        reason = "link";
    }
    close(dir);
    return reason;
}

// Records about the next entry: true if this was one.
static bool read_extra(const struct tar_entry *e, struct tar_extra *extra) {
    static char data[TAR_EXTRA_MAX];
    if (!strchr("xgLK", e->type)) return false;
    if (e->size > sizeof data) fs_fail("bad_archive", "an extended header is too large", "");
    read_exactly(data, (size_t)e->size);
    skip(tar_padding(e->size));
    bool good = e->type == 'g' || (e->type == 'x' ? tar_pax(data, (size_t)e->size, extra)
                                                  : tar_long(data, (size_t)e->size, e->type == 'K', extra));
    if (!good) fs_fail("bad_archive", "a bad extended header", "");
    return true;
}

void fs_unpack(char **args) {
    static struct tar_entry entry;
    static struct tar_extra extra;
    unsigned char block[TAR_BLOCK];
    bytes_left = fs_number(args[1]);
    entries_left = fs_number(args[2]);
    room = fs_room(); // of all files together
    root = open(args[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) fs_fail_errno("open", args[0]);
    for (;;) {
        read_exactly(block, sizeof block);
        enum tar_result result = tar_parse(block, &entry);
        if (result == TAR_BAD) fs_fail("bad_archive", "not a tar header", "");
        if (result == TAR_END) break;
        if (entries_left-- == 0) fs_fail("limit", "too many entries", "");
        if (read_extra(&entry, &extra)) continue;
        tar_apply(&extra, &entry);
        memset(&extra, 0, sizeof extra);
        if (entry.size > bytes_left) fs_fail("limit", "too many bytes", entry.name);
        if (entry.size > room) fs_no_room(entry.name);
        bytes_left -= entry.size;
        room -= entry.size;
        uint64_t padding = tar_padding(entry.size);
        const char *reason = extract(&entry);
        if (reason) refused(reason, entry.name);
        skip(entry.size + padding);
    }
    // The padding of the last record, and whatever else the sender has: it is not to see a broken pipe.
    while (fs_read_stdin(buffer, sizeof buffer, "") > 0) {}
}
