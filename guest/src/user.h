// Who a command runs as, looked up in the container's own /etc/passwd and /etc/group.
#ifndef USER_H
#define USER_H

#include <stdbool.h>
#include <sys/types.h>

#define GROUPS_MAX 256

struct user {
    uid_t uid;
    gid_t gid;
    int groups_count;
    gid_t groups[GROUPS_MAX];
};

// `text` is user, user:group, uid or uid:gid. False if there is none such.
bool user_find(const char *text, struct user *user);

// The files to read; tests set others.
extern const char *user_passwd_file, *user_group_file;

#endif
