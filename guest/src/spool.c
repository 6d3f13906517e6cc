#include "spool.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

bool (*spool_evict)(void);

static size_t spent;

static bool claim(size_t size) {
    while (spent + size > SPOOL_BUDGET)
        if (!spool_evict || !spool_evict()) return false;
    spent += size;
    return true;
}

void spool_init(struct spool *spool, uint64_t head_limit) {
    memset(spool, 0, sizeof *spool);
    spool->head_limit = (uint32_t)MIN(head_limit, HEAD_MAX);
}

static bool head_grow(struct spool *spool) {
    uint32_t cap = MIN(MAX(1024u, spool->head_cap * 2), spool->head_limit);
    if (!claim(cap - spool->head_cap)) return false;
    unsigned char *head = realloc(spool->head, cap);
    if (!head) {
        spent -= cap - spool->head_cap;
        return false;
    }
    spool->head = head;
    spool->head_cap = cap;
    return true;
}

static int ring_parts(const struct spool *spool, uint64_t offset, size_t size, struct iovec parts[2]) {
    size_t at = (size_t)((offset - spool->head_len) % spool->ring_cap);
    size_t first = MIN(size, spool->ring_cap - at);
    parts[0] = (struct iovec){spool->ring + at, first};
    parts[1] = (struct iovec){spool->ring, size - first};
    return size > first ? 2 : 1;
}

static bool ring_resize(struct spool *spool, uint32_t cap, bool claimed) {
    unsigned char *ring = malloc(cap);
    if (!ring) {
        if (claimed) spent -= cap;
        return false;
    }
    struct spool old = *spool;
    spool->ring = ring;
    spool->ring_cap = cap;
    if (old.ring) {
        struct iovec from[2], to[2];
        uint64_t offset = old.oldest;
        while (offset < old.total) { // pieces that are in one part on both sides
            ring_parts(&old, offset, (size_t)(old.total - offset), from);
            ring_parts(spool, offset, (size_t)(old.total - offset), to);
            size_t size = MIN(from[0].iov_len, to[0].iov_len);
            memcpy(to[0].iov_base, from[0].iov_base, size);
            offset += size;
        }
        free(old.ring);
        spent -= old.ring_cap;
    }
    return true;
}

static void ring_grow(struct spool *spool) {
    uint32_t cap = spool->ring ? MIN(spool->ring_cap * 4, RING_MAX) : RING_FIRST;
    if (cap == spool->ring_cap) return;
    if (claim(cap)) {
        ring_resize(spool, cap, true);
    } else if (!spool->ring) {
        spent += RING_LEAST; // over the budget, by 8 MiB at the very most (1 024 commands)
        ring_resize(spool, RING_LEAST, true);
    }
}

static uint64_t kept_from(const struct spool *spool, uint64_t needed) { return MAX(spool->oldest, needed); }

int spool_reserve(struct spool *spool, uint64_t needed, size_t want, struct iovec parts[2]) {
    if (spool->total == spool->head_len && spool->head_len < spool->head_limit) {
        if (spool->head_len == spool->head_cap && !head_grow(spool)) {
            spool->head_limit = (uint32_t)spool->head_len; // the budget is spent: the ring takes over earlier
        } else {
            spool->into_head = true;
            parts[0] = (struct iovec){spool->head + spool->head_len, MIN(want, spool->head_cap - spool->head_len)};
            return 1;
        }
    }
    spool->into_head = false;
    if (spool->total - spool->oldest == spool->ring_cap) ring_grow(spool);
    if (!spool->ring) return 0;
    size_t room = spool->ring_cap - (size_t)(spool->total - kept_from(spool, MIN(needed, spool->total)));
    size_t size = MIN(want, room);
    return size == 0 ? 0 : ring_parts(spool, spool->total, size, parts);
}

bool spool_has_room(const struct spool *spool, uint64_t needed) {
    if (spool->total == spool->head_len && spool->head_len < spool->head_limit) return true;
    if (spool->ring_cap < RING_FIRST) return true;
    return spool->total - kept_from(spool, MIN(needed, spool->total)) < spool->ring_cap;
}

void spool_commit(struct spool *spool, size_t size) {
    spool->total += size;
    if (spool->into_head) {
        spool->head_len = spool->oldest = spool->total;
    } else if (spool->total - spool->oldest > spool->ring_cap) {
        spool->oldest = spool->total - spool->ring_cap;
    }
}

int spool_peek(const struct spool *spool, uint64_t *offset, size_t most, struct iovec parts[2]) {
    if (*offset < spool->head_len && spool->head) {
        parts[0] = (struct iovec){spool->head + *offset, MIN(most, (size_t)(spool->head_len - *offset))};
        return 1;
    }
    if (*offset < spool->oldest) *offset = spool->oldest;
    if (*offset >= spool->total || !spool->ring) return 0;
    return ring_parts(spool, *offset, MIN(most, (size_t)(spool->total - *offset)), parts);
}

void spool_trim(struct spool *spool) {
    spool->head_limit = (uint32_t)MIN(spool->head_limit, spool->head_len);
    if (spool->head && spool->head_len == 0) { // reserved, but nothing came; realloc to nothing would free it unseen
        free(spool->head);
        spent -= spool->head_cap;
        spool->head = NULL;
        spool->head_cap = 0;
    } else if (spool->head && spool->head_len < spool->head_cap) {
        unsigned char *head = realloc(spool->head, (size_t)spool->head_len);
        if (head) {
            spool->head = head;
            spent -= spool->head_cap - (size_t)spool->head_len;
            spool->head_cap = (uint32_t)spool->head_len;
        }
    }
    uint32_t used = (uint32_t)(spool->total - spool->oldest);
    if (spool->ring && used > 0 && used < spool->ring_cap) {
        spent += used;
        ring_resize(spool, used, true);
    }
}

void spool_drop(struct spool *spool) {
    spent -= spool->head_cap + spool->ring_cap;
    free(spool->head);
    free(spool->ring);
    spool->head = spool->ring = NULL;
    spool->head_cap = spool->ring_cap = 0;
    spool->oldest = spool->total;
}

size_t spool_size(const struct spool *spool) { return spool->head_cap + spool->ring_cap; }

size_t spool_spent(void) { return spent; }
