#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 64

static int epoll_fd = -1;

static struct doomed *doomed;

int loop_open(void) {
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    return epoll_fd;
}

bool watch_on(struct watch *watch, uint32_t events) {
    if (watch->fd < 0) return false;
    if (watch->on && watch->events == events) return true;
    struct epoll_event event = {.events = events, .data = {.ptr = watch}};
    if (epoll_ctl(epoll_fd, watch->on ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watch->fd, &event) < 0) return false;
    watch->on = true;
    watch->events = events;
    return true;
}

void watch_off(struct watch *watch) {
    if (watch->on) epoll_ctl(epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    watch->on = false;
}

void watch_close(struct watch *watch) {
    watch_off(watch);
    if (watch->fd >= 0) close(watch->fd);
    watch->fd = -1;
}

void loop_free(struct doomed *object) {
    object->next = doomed;
    doomed = object;
}

void loop_turn(int timeout_ms) {
    struct epoll_event events[EVENTS];
    int n = epoll_wait(epoll_fd, events, EVENTS, timeout_ms);
    for (int i = 0; i < n; i++) {
        struct watch *watch = events[i].data.ptr;
        if (watch->on) watch->ready(watch, events[i].events);
    }
    while (doomed) {
        struct doomed *d = doomed;
        doomed = d->next;
        free(d);
    }
}

uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}
