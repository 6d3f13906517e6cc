#include "user.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// Not getpwnam(): libc's readers allocate without bound, and may ask other services than the container's two files.

const char *user_passwd_file = "/etc/passwd", *user_group_file = "/etc/group";

#define LINE_MAX_BYTES 65536 // longer lines are skipped

struct lines {
    int fd;
    size_t start, end;
    char bytes[LINE_MAX_BYTES];
};

static char *next_line(struct lines *lines) {
    bool skipping = false;
    for (;;) {
        char *from = lines->bytes + lines->start;
        char *newline = memchr(from, '\n', lines->end - lines->start);
        if (newline) {
            *newline = 0;
            lines->start = (size_t)(newline - lines->bytes) + 1;
            if (!skipping) return from;
            skipping = false;
            continue;
        }
        memmove(lines->bytes, from, lines->end - lines->start);
        lines->end -= lines->start;
        lines->start = 0;
        if (lines->end == sizeof lines->bytes - 1) {
            skipping = true;
            lines->end = 0;
        }
        ssize_t got = read(lines->fd, lines->bytes + lines->end, sizeof lines->bytes - 1 - lines->end);
        if (got > 0) {
            lines->end += (size_t)got;
        } else {
            if (lines->end == 0 || skipping) return NULL;
            lines->bytes[lines->end] = 0; // the last line may lack its newline
            lines->end = 0;
            return lines->bytes;
        }
    }
}

static bool number(const char *text, uint32_t *value) {
    uint64_t n = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        n = n * 10 + (uint64_t)(*text - '0');
        if (n >= UINT32_MAX) return false; // -1 means "no change" to the kernel
    }
    *value = (uint32_t)n;
    return true;
}

static int split(char *line, char **parts, int most) {
    int n = 0;
    while (n < most) {
        parts[n++] = line;
        line = strchr(line, ':');
        if (!line) break;
        *line++ = 0;
    }
    return n;
}

static bool open_lines(struct lines *lines, const char *file) {
    lines->fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    lines->start = lines->end = 0;
    return lines->fd >= 0;
}

// By name first: a name may consist of digits.
static bool find_passwd(struct lines *lines, const char *wanted, struct user *user, char *name, size_t name_size) {
    uint32_t wanted_uid;
    bool is_number = number(wanted, &wanted_uid), found = false;
    char *line, *p[4];
    if (!open_lines(lines, user_passwd_file)) return false;
    while ((line = next_line(lines))) {
        uint32_t uid, gid;
        if (split(line, p, 4) < 4 || !number(p[2], &uid)) continue;
        p[3][strcspn(p[3], ":")] = 0;
        if (!number(p[3], &gid) || strlen(p[0]) >= name_size || !*p[0]) continue;
        bool by_name = strcmp(p[0], wanted) == 0;
        if (by_name || (is_number && !found && uid == wanted_uid)) {
            user->uid = uid;
            user->gid = gid;
            strcpy(name, p[0]);
            found = true;
        }
        if (by_name) break;
    }
    close(lines->fd);
    return found;
}

static bool lists(char *members, const char *name) {
    for (char *rest = members, *one; (one = strsep(&rest, ","));)
        if (strcmp(one, name) == 0) return true;
    return false;
}

// Finds the group that was asked for, if any, and adds those which list the user.
static bool read_groups(struct lines *lines, const char *wanted, const char *name, struct user *user) {
    bool found = !wanted;
    char *line, *p[4];
    if (open_lines(lines, user_group_file)) {
        while ((line = next_line(lines))) {
            uint32_t gid;
            int n = split(line, p, 4);
            if (n < 3 || !number(p[2], &gid)) continue;
            if (wanted && strcmp(p[0], wanted) == 0) {
                user->gid = gid;
                found = true;
            }
            if (*name && n == 4 && user->groups_count < GROUPS_MAX && lists(p[3], name))
                user->groups[user->groups_count++] = gid;
        }
        close(lines->fd);
    }
    uint32_t gid;
    if (!found && number(wanted, &gid)) {
        user->gid = gid;
        found = true;
    }
    return found;
}

bool user_find(const char *text, struct user *user) {
    static struct lines lines;
    char wanted[256], name[256] = "";
    memset(user, 0, sizeof *user);
    if (strlen(text) >= sizeof wanted) return false;
    strcpy(wanted, text);
    char *group = strchr(wanted, ':');
    if (group) *group++ = 0;
    if (!find_passwd(&lines, wanted, user, name, sizeof name)) {
        uint32_t uid = 0;
        // An image may be nothing but its program. Root is root there as well.
        bool root = strcmp(wanted, "root") == 0 && access(user_passwd_file, F_OK) < 0;
        if (!root && !number(wanted, &uid)) return false;
        user->uid = user->gid = uid;
    }
    return read_groups(&lines, group, name, user);
}
