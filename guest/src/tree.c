#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESSES_MAX 32768 // those beyond are met by the next pass
#define STOP_PASSES 8

struct process {
    pid_t pid, parent;
    char state;
    bool below; // is a descendant
};

static struct process *processes; // static would be simpler, but it is needed only when something is killed
static size_t count;

static bool read_stat(int proc, const char *name, struct process *p) {
    char path[32], text[512];
    snprintf(path, sizeof path, "%.16s/stat", name);
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) return false;
    text[got] = 0;
    char *after = strrchr(text, ')'); // the command's name before it may contain anything
    int parent;
    if (!after || sscanf(after + 1, " %c %d", &p->state, &parent) != 2) return false;
    p->parent = parent;
    p->pid = atoi(name);
    p->below = false;
    return true;
}

static int by_pid(const void *a, const void *b) {
    pid_t x = ((const struct process *)a)->pid, y = ((const struct process *)b)->pid;
    return (x > y) - (x < y);
}

static struct process *find(pid_t pid) {
    struct process key = {.pid = pid};
    return bsearch(&key, processes, count, sizeof key, by_pid);
}

static void read_all(void) {
    if (!processes) processes = malloc(PROCESSES_MAX * sizeof *processes);
    count = 0;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0 || !processes) {
        if (proc >= 0) close(proc);
        return;
    }
    struct {
        uint64_t ino, off;
        unsigned short size;
        unsigned char type;
        char name[];
    } *entry;
    static char buffer[16384] __attribute__((aligned(8)));
    bool sorted = true;
    long got;
    while ((got = syscall(SYS_getdents64, proc, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < got && count < PROCESSES_MAX; at += entry->size) {
            entry = (void *)(buffer + at);
            if (entry->name[0] < '1' || entry->name[0] > '9') continue;
            if (!read_stat(proc, entry->name, &processes[count])) continue;
            if (count > 0 && processes[count - 1].pid > processes[count].pid) sorted = false;
            count++;
        }
    }
    close(proc);
    if (!sorted) qsort(processes, count, sizeof *processes, by_pid);
}

static void mark(pid_t root, tree_spared *spared) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            struct process *p = &processes[i], *parent;
            if (p->below || p->pid == root) continue;
            if (p->parent == root ? !(spared && spared(p->pid)) : (parent = find(p->parent)) && parent->below)
                p->below = changed = true;
        }
    }
}

static bool living(const struct process *p) { return p->below && p->state != 'Z' && p->state != 'X'; }

size_t tree_signal(pid_t root, int sig, tree_spared *spared) {
    size_t found = 0;
    read_all();
    mark(root, spared);
    for (size_t i = 0; i < count; i++) {
        if (!living(&processes[i])) continue;
        kill(processes[i].pid, sig);
        found++;
    }
    return found;
}

size_t tree_kill(pid_t root, tree_spared *spared) {
    for (int pass = 0; pass < STOP_PASSES; pass++) {
        bool running = false;
        read_all();
        mark(root, spared);
        for (size_t i = 0; i < count; i++) {
            // One in state D does not fork now, and is stopped before it can.
            if (!living(&processes[i]) || processes[i].state == 'T') continue;
            kill(processes[i].pid, SIGSTOP);
            if (processes[i].state != 'D') running = true;
        }
        if (!running) break;
    }
    return tree_signal(root, SIGKILL, spared);
}
