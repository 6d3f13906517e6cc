#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bytes.h"

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
// The child borrows its parent's memory until execve, as after vfork: copying the page tables would cost more than all the rest.
// So it calls the kernel and little else, leaves its marks in `struct child` alone, and is not watched by the address sanitizer,
// which would take the borrowed stack for the parent's.
#define BORROWED static __attribute__((no_sanitize("address")))
#define STACK (32 << 10)
#define OOM_RAISE 300 // enough for the kernel to pick a command that uses a third of the memory less than the keeper

static struct rlimit files;
static char oom_score[16];

// Asks the kernel itself: the C library keeps some real-time signals to itself and refuses to name them, and what we were started
// with ignored would be handed on. An all-zero request means SIG_DFL in the kernel's structure of every architecture; a mask has 8 bytes.
static void default_dispositions(void) {
    unsigned char action[64] = {0};
    for (int sig = 1; sig <= 64; sig++) syscall(SYS_rt_sigaction, sig, action, NULL, 8);
}

void child_prepare(void) {
    default_dispositions();
    getrlimit(RLIMIT_NOFILE, &files);
    struct rlimit more = {.rlim_cur = MIN((rlim_t)16384, files.rlim_max), .rlim_max = files.rlim_max};
    if (more.rlim_cur > files.rlim_cur) setrlimit(RLIMIT_NOFILE, &more); // up to four for each command
    int value = 0, fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        char text[16] = "";
        if (read(fd, text, sizeof text - 1) > 0) value = atoi(text);
        close(fd);
    }
    snprintf(oom_score, sizeof oom_score, "%d", MIN(value + OOM_RAISE, 1000));
}

BORROWED bool fail(struct child *child, int code, const char *what) {
    child->failure.error = errno;
    if (errno == ENOMEM || errno == EAGAIN || errno == EMFILE || errno == ENFILE) code = NO_RESOURCES;
    if (errno == E2BIG) code = TOO_LARGE;
    child->failure.what = what;
    child->failure.code = code;
    return false;
}

BORROWED void raise_oom_score(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, oom_score, strlen(oom_score)) < 0) {} // nothing depends on it
    close(fd);
}

BORROWED bool put_descriptors(struct child *child) {
    // None of the three is below 3: `init` sees to it that 0 to 2 are always open.
    if (dup2(child->in, 0) < 0 || dup2(child->out, 1) < 0 || dup2(child->err, 2) < 0) return fail(child, INTERNAL, "dup2");
    // Everything else of the keeper closes itself at execve. The engine may have left us others.
    if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) < 0)
        for (int fd = 3; fd < 256; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return true;
}

// Not even root can raise it again without a capability that sandboxes do not have.
BORROWED bool limit_files(struct child *child) {
    struct rlimit most = {.rlim_cur = (rlim_t)child->file_most, .rlim_max = (rlim_t)child->file_most};
    if (child->file_most == UINT64_MAX || setrlimit(RLIMIT_FSIZE, &most) == 0) return true;
    return fail(child, INTERNAL, "limit the size of files");
}

// The system calls themselves: the C library's versions would have all threads follow, in memory that is not ours.
BORROWED bool become(struct child *child) {
    const struct user *user = &child->user;
    if (child->terminal && fchown(0, user->uid, (gid_t)-1) == 0) fchmod(0, 0620);
    if (syscall(SYS_setgroups, user->groups_count, user->groups) < 0 && geteuid() == 0)
        return fail(child, INTERNAL, "setgroups");
    if (syscall(SYS_setresgid, user->gid, user->gid, user->gid) < 0) return fail(child, INTERNAL, "setgid");
    if (syscall(SYS_setresuid, user->uid, user->uid, user->uid) < 0) return fail(child, INTERNAL, "setuid");
    // The borrowed memory must not become readable for that user, whatever fs.suid_dumpable says.
    if (prctl(PR_SET_DUMPABLE, 0) < 0) return fail(child, INTERNAL, "prctl");
    return true;
}

BORROWED const char *path_of(char **env) {
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
    return DEFAULT_PATH;
}

BORROWED void search_and_exec(const struct child *child) {
    char **argv = child->vectors.argv, **envp = child->vectors.envp;
    if (strchr(argv[0], '/') || !*argv[0]) {
        execve(argv[0], argv, envp);
        return;
    }
    int kept = ENOENT; // a later directory's "not there" does not hide an earlier one's "not executable"
    size_t name = strlen(argv[0]);
    for (const char *dir = path_of(envp); dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
        size_t size = strcspn(dir, ":");
        char file[4096];
        if (size == 0 || size + name + 2 > sizeof file) continue; // an empty entry would be the cwd: not searched
        memcpy(file, dir, size);
        file[size] = '/';
        memcpy(file + size + 1, argv[0], name + 1);
        execve(file, argv, envp);
        if (errno != ENOENT && errno != ENOTDIR) kept = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
    }
    errno = kept;
}

BORROWED bool run(struct child *child) {
    setsid();
    if (!put_descriptors(child)) return false;
    if (child->terminal && ioctl(0, TIOCSCTTY, 0) < 0) return fail(child, INTERNAL, "TIOCSCTTY");
    raise_oom_score();
    if (files.rlim_cur) setrlimit(RLIMIT_NOFILE, &files);
    if (!limit_files(child)) return false;
    if (!become(child)) return false;
    umask(022);
    if (chdir(child->vectors.cwd) < 0) return fail(child, CWD_NOT_FOUND, "chdir");
    uint64_t none = 0; // no signal is blocked, nor ignored: `child_prepare` has seen to that
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
    *child->began = true; // not later: nothing of ours runs once the program does
    search_and_exec(child);
    *child->began = false;
    return fail(child, errno == ENOENT || errno == ENOTDIR ? PROGRAM_NOT_FOUND : NOT_EXECUTABLE, "execve");
}

BORROWED int borrowed_main(void *child) {
    run(child);
    return 127;
}

pid_t child_start(struct child *child) {
    static unsigned char stack[STACK] __attribute__((aligned(16))); // one child at a time has it
    child->failure.code = 0;
    return clone(borrowed_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, child);
}
