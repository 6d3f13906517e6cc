// Parts that are easier to reach from within than through frames.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base64.h"
#include "follower.h"
#include "oom.h"
#include "registry.h"
#include "spool.h"
#include "tar.h"
#include "user.h"

#undef assert
#define assert(c) ((c) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #c), exit(1)))

static const char *file_with(const char *text) {
    static char names[2][32];
    static int next;
    char *name = names[next++ % 2];
    strcpy(name, "/tmp/keeper-units-XXXXXX");
    int fd = mkstemp(name);
    assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return name;
}

static void users(void) {
    struct user u;
    user_passwd_file = file_with("root:x:0:0::/:/bin/sh\nbroken\n:x:1:1::\nada:x:1000:100:A:/home/ada:/bin/sh\n1000:x:7:8::/:\n"
                                 "bad:x:-1:0::/:\nlast:x:9:9::/:/bin/sh");
    user_group_file = file_with("root:x:0:\nusers:x:100:ada\nbroken\nwheel:x:50:bob,ada\nadas:x:51:adas\n77:x:60:\nlast:x:9:last");
    assert(user_find("ada", &u) && u.uid == 1000 && u.gid == 100 && u.groups_count == 2 && u.groups[1] == 50);
    assert(user_find("1000", &u) && u.uid == 7 && u.gid == 8); // a name of digits comes first
    assert(user_find("9", &u) && u.uid == 9 && u.gid == 9 && u.groups_count == 1);
    assert(user_find("last", &u) && u.uid == 9 && u.groups_count == 1);
    assert(user_find("ada:wheel", &u) && u.gid == 50 && u.groups_count == 2);
    assert(user_find("ada:77", &u) && u.gid == 60);
    assert(user_find("4242", &u) && u.uid == 4242 && u.gid == 4242 && u.groups_count == 0);
    assert(user_find("4242:4343", &u) && u.uid == 4242 && u.gid == 4343);
    assert(!user_find("nobody", &u) && !user_find("ada:nogroup", &u) && !user_find("bad", &u) && !user_find(":0", &u));
    assert(!user_find("4294967295", &u) && !user_find("0:4294967295", &u) && !user_find("99999999999999999999", &u));
    unlink(user_passwd_file);
    unlink(user_group_file);
    user_passwd_file = user_group_file = "/nowhere";
    assert(user_find("0", &u) && u.uid == 0 && !user_find("ada", &u) && !user_find("root:wheel", &u));
    assert(user_find("root", &u) && u.uid == 0 && u.gid == 0 && u.groups_count == 0); // an image with nothing but its program
}

static void oom(void) {
    assert(oom_parse("low 0\nhigh 0\nmax 4\noom 2\noom_kill 17\noom_group_kill 3\n") == 17);
    assert(oom_parse("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n") == 5);
    assert(oom_parse("") == 0 && oom_parse("oom 3\n") == 0);
}

// Against a plain copy of everything: what is read back is right, wherever it lies, and HOLD loses nothing.
static void spools(void) {
    static unsigned char all[3 << 20];
    for (size_t i = 0; i < sizeof all; i++) all[i] = (unsigned char)(i * 2654435761u >> 13);
    for (int round = 0; round < 60; round++) {
        struct spool s;
        srandom((unsigned)round);
        spool_init(&s, (uint64_t)(random() % 3) * (uint64_t)(random() % 100000));
        uint64_t at = 0;
        bool hold = round % 2;
        while (s.total < sizeof all) {
            struct iovec parts[2];
            int n = spool_reserve(&s, hold ? at : UINT64_MAX, 1 + (size_t)(random() % 65536), parts);
            assert((n > 0) == (n > 0 && spool_has_room(&s, hold ? at : UINT64_MAX)));
            size_t size = 0;
            for (int i = 0; i < n; i++) {
                size_t part = parts[i].iov_len < sizeof all - s.total - size ? parts[i].iov_len : sizeof all - s.total - size;
                memcpy(parts[i].iov_base, all + s.total + size, part);
                size += part;
            }
            assert(n > 0 || hold);
            if (n > 0) spool_commit(&s, size);
            for (int turns = (int)(random() % 4); turns > 0 || n == 0; turns--) {
                uint64_t before = at;
                int m = spool_peek(&s, &at, 1 + (size_t)(random() % 60000), parts);
                assert(!hold || at == before);
                for (int i = 0; i < m; i++) {
                    assert(memcmp(parts[i].iov_base, all + at, parts[i].iov_len) == 0);
                    at += parts[i].iov_len;
                }
                if (n == 0 && m > 0) break;
                assert(n > 0 || m > 0);
            }
        }
        spool_trim(&s);
        uint64_t from = 0;
        for (struct iovec parts[2]; spool_peek(&s, &from, 65536, parts) > 0; from += parts[0].iov_len)
            assert(memcmp(parts[0].iov_base, all + from, parts[0].iov_len) == 0);
        assert(from == s.total && spool_size(&s) <= (1 << 20) + RING_MAX);
        spool_drop(&s);
        assert(spool_size(&s) == 0);
    }
}

static void make_id(unsigned char id[ID_SIZE], uint64_t ms, unsigned n) {
    memset(id, 0, ID_SIZE);
    for (int i = 0; i < 6; i++) id[i] = (unsigned char)(ms >> (40 - 8 * i));
    id[6] = 0x70;
    memcpy(id + 12, &n, sizeof n);
}

static void ids(void) {
    unsigned char id[ID_SIZE];
    for (unsigned i = 0; i < REMEMBERED; i++) {
        make_id(id, 1000 + i, i);
        assert(registry_check(id) == 0);
        registry_add(id, NULL);
        assert(registry_check(id) == ALREADY_STARTED);
    }
    make_id(id, 5, 5);
    assert(registry_check(id) == 0); // old, but nothing was let go yet
    for (unsigned i = 0; i < 100; i++) {
        make_id(id, 100000 + i, i);
        registry_add(id, NULL);
    }
    make_id(id, 1000, 0);
    assert(registry_check(id) == TOO_OLD);
    make_id(id, 1099, 4711);
    assert(registry_check(id) == TOO_OLD);
    make_id(id, 1100, 100);
    assert(registry_check(id) == ALREADY_STARTED);
    make_id(id, 1100, 4711);
    assert(registry_check(id) == 0);
    make_id(id, 200000, 4711);
    registry_add(id, NULL);
    registry_refused(id);
    assert(registry_check(id) == 0);
}

static void texts(void) {
    for (size_t size = 0; size < 70; size++) {
        unsigned char bytes[70];
        char text[100];
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(i * 97 + size);
        size_t length = base64_encode(bytes, size, text);
        assert(length == BASE64_SIZE(size) && base64_decode(text, length) == (ssize_t)size && memcmp(text, bytes, size) == 0);
    }
    char bad[][9] = {"abc", "ab=c", "a===", "====", "abc!", "ab==abcd"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert(base64_decode(bad[i], strlen(bad[i])) == -1);
}

// Every header that is written is read back the same.
static void tars(void) {
    static struct tar_entry e, back;
    static struct tar_extra extra;
    static unsigned char header[TAR_HEADER_MAX];
    for (size_t length = 1; length < TAR_NAME_MAX - 1; length += length < 1100 ? 1 : 97) {
        memset(&e, 0, sizeof e);
        memset(e.name, 'n', length);
        memset(e.link, 'l', length);
        e.type = length % 2 ? '0' : '2';
        e.mode = 0640;
        e.mtime = 1700000000;
        e.size = length % 2 ? (uint64_t)length << 30 : 0;
        size_t size = tar_format(&e, 3000000, 5, header), at = 0;
        assert(size % TAR_BLOCK == 0);
        memset(&extra, 0, sizeof extra);
        while (at < size) {
            assert(tar_parse(header + at, &back) == TAR_ENTRY);
            at += TAR_BLOCK;
            if (back.type != 'x') break;
            assert(tar_pax((char *)header + at, back.size, &extra));
            at += back.size + tar_padding(back.size);
        }
        tar_apply(&extra, &back);
        assert(at == size && strcmp(back.name, e.name) == 0 && strcmp(back.link, e.link) == 0);
        assert(back.size == e.size && back.mode == e.mode && back.mtime == e.mtime && back.type == e.type);
    }
}

// A command may fill its ring before PID 1 has heard that it was started. What is sent then makes room, and reading goes on.
static void early_output(void) {
    static struct command command;
    static struct live live;
    int pair[2], output[2];
    assert(loop_open() >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(output) == 0);
    spool_init(&command.spool[0], 0);
    command.state = COMMAND_STARTING;
    command.live = &live;
    live.command = &command;
    live.outputs[0] = (struct output){.watch = {.fd = output[0]}, .command = &command};
    live.outputs[1] = (struct output){.watch = {.fd = -1}, .command = &command, .stream = 1};
    struct follower *f = follower_add(connection_add(pair[0]), 1, &command);
    f->hold = f->started_due = true;
    f->credit = UNLIMITED;
    struct iovec parts[2];
    while (spool_reserve(&command.spool[0], 0, 4096, parts) > 0) {
        memset(parts[0].iov_base, 'x', parts[0].iov_len);
        spool_commit(&command.spool[0], parts[0].iov_len);
    }
    assert(!live.outputs[0].watch.on);
    command_reported(&command, &(struct report){.kind = REPORT_STARTED, .pid = 7});
    assert(command.state == COMMAND_RUNNING && f->offsets[0] > 0);
    assert(live.outputs[0].watch.on);
}

int main(void) {
    users();
    oom();
    spools();
    ids();
    texts();
    tars();
    early_output();
    puts("units ok");
    return 0;
}
