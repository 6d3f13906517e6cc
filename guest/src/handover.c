#include "handover.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define DESCRIPTORS 6

struct start {
    struct order order;
    struct request request; // its pointers mean nothing to whoever reads it
    unsigned present;       // a bit for each descriptor of `theirs` that comes along
};

// Those of `ends` that the supervisor has a use for, in the order in which they travel.
static void theirs(struct ends *ends, int *fds[DESCRIPTORS]) {
    int *all[DESCRIPTORS] = {&ends->in_read,      &ends->out_read[0],  &ends->out_read[1],
                             &ends->out_write[0], &ends->out_write[1], &ends->master};
    memcpy(fds, all, sizeof all);
}

union control {
    struct cmsghdr aligned;
    char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

bool handover_send(int control, const struct request *request, const struct ends *ends) {
    struct ends copy = *ends;
    struct start start;
    union control space;
    int *fds[DESCRIPTORS], sent[DESCRIPTORS], count = 0;
    if (request->size > HANDOVER_MOST) return false;
    memset(&start, 0, sizeof start);
    memset(&space, 0, sizeof space);
    start.order.kind = ORDER_START;
    start.request = *request;
    theirs(&copy, fds);
    for (int i = 0; i < DESCRIPTORS; i++) {
        if (*fds[i] < 0) continue;
        start.present |= 1u << i;
        sent[count++] = *fds[i];
    }
    struct iovec parts[] = {{&start, sizeof start}, {request->payload, request->size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = space.bytes,
                             .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), sent, (size_t)count * sizeof(int));
    return sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

static bool take_descriptors(struct msghdr *message, unsigned present, struct ends *ends) {
    *ends = (struct ends){-1, -1, {-1, -1}, {-1, -1}, -1};
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (!header || header->cmsg_type != SCM_RIGHTS || message->msg_flags & (MSG_CTRUNC | MSG_TRUNC)) return false;
    int *fds[DESCRIPTORS];
    const unsigned char *next = CMSG_DATA(header);
    theirs(ends, fds);
    for (int i = 0; i < DESCRIPTORS; i++) {
        if (!(present & 1u << i)) continue;
        memcpy(fds[i], next, sizeof(int));
        next += sizeof(int);
    }
    return true;
}

bool handover_receive(int control, struct request *request, struct ends *ends) {
    static unsigned char payload[HANDOVER_MOST + 1]; // the request needs a spare byte after it
    for (;;) {
        struct start start;
        union control space;
        struct iovec parts[] = {{&start, sizeof start}, {payload, HANDOVER_MOST}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = space.bytes,
                                 .msg_controllen = sizeof space.bytes};
        ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if ((size_t)got < sizeof start) continue; // an order to a command that had ended before it arrived
        // With descriptors missing (there were too many open) the command could not run. Whoever sent it learns it from our end.
        if (!take_descriptors(&message, start.present, ends)) return false;
        *request = start.request;
        request->payload = payload;
        request->cwd = request->user = (struct field){0};
        return true;
    }
}
