// What is kept of one output stream: its first bytes (the head) and a ring of the latest. All spools share one budget.
#ifndef SPOOL_H
#define SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define HEAD_MAX (1u << 20)
#define RING_LEAST 4096u // what a stream gets when the budget is spent
#define RING_FIRST (16u << 10)
#define RING_MAX (256u << 10)
#define SPOOL_BUDGET ((size_t)8 << 20)

struct spool {
    uint64_t total;    // bytes so far
    uint64_t head_len; // also the offset at which the ring takes over
    uint64_t oldest;   // offset of the oldest byte in the ring
    unsigned char *head, *ring;
    uint32_t head_cap, head_limit, ring_cap;
    bool into_head; // where the last reservation was
};

void spool_init(struct spool *spool, uint64_t head_limit);

// Where to put at most `want` new bytes without losing any from offset `needed` on. The number of parts; 0: no room.
int spool_reserve(struct spool *spool, uint64_t needed, size_t want, struct iovec parts[2]);
void spool_commit(struct spool *spool, size_t size);
bool spool_has_room(const struct spool *spool, uint64_t needed);

// The bytes from *offset on, at most `most`. Moves *offset over a gap. The number of parts; 0: nothing there.
int spool_peek(const struct spool *spool, uint64_t *offset, size_t most, struct iovec parts[2]);

void spool_trim(struct spool *spool); // nothing more will come: keep no more memory than the bytes need
void spool_drop(struct spool *spool); // forget the bytes, keep the totals
size_t spool_size(const struct spool *spool);
size_t spool_spent(void); // of the budget, by all

// Called when the budget is spent. True if it has freed something.
extern bool (*spool_evict)(void);

#endif
