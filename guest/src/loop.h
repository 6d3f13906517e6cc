// The event loop of PID 1: one thread, epoll, and objects that outlive the events that still name them.
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct watch {
    int fd;
    bool on;
    uint32_t events;
    void (*ready)(struct watch *watch, uint32_t events);
};

int loop_open(void);
void loop_turn(int timeout_ms);

bool watch_on(struct watch *watch, uint32_t events);
void watch_off(struct watch *watch);   // the descriptor stays open
void watch_close(struct watch *watch); // and is -1 afterwards

// The first member of everything that is freed at the end of a turn, because an event of that turn may still point at it.
struct doomed {
    struct doomed *next;
};
void loop_free(struct doomed *object);

uint64_t now_us(void);
static inline uint64_t now_ms(void) { return now_us() / 1000; }

#endif
