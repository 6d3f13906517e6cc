#include "registry.h"

#include <string.h>

#include "bytes.h"
#include "follower.h"

#define BUCKETS 16384

struct slot {
    unsigned char id[ID_SIZE];
    struct command *command;
    uint16_t next; // slot number + 1, in the same bucket
    bool used;
};

static struct slot slots[REMEMBERED]; // pages are touched as ids come
static uint16_t buckets[BUCKETS];
static unsigned cursor;
static uint64_t floor_ms; // the largest time among the ids let go
static bool any_let_go;
static struct command *oldest_ended, *latest_ended;

_Static_assert(REMEMBERED < UINT16_MAX, "slot numbers + 1 are kept in 16 bits");

static uint16_t *bucket(const unsigned char *id) {
    uint32_t hash = get_u32(id) ^ get_u32(id + 4) * 0x9e3779b1u ^ get_u32(id + 8) ^ get_u32(id + 12) * 0x85ebca6bu;
    return &buckets[(hash ^ hash >> 16) % BUCKETS];
}

static struct slot *find(const unsigned char *id) {
    for (uint16_t at = *bucket(id); at; at = slots[at - 1].next)
        if (memcmp(slots[at - 1].id, id, ID_SIZE) == 0) return &slots[at - 1];
    return NULL;
}

static uint64_t id_ms(const unsigned char *id) { return get_u64(id) >> 16; }

static void unlink_slot(struct slot *slot) {
    uint16_t number = (uint16_t)(slot - slots + 1), *link = bucket(slot->id);
    while (*link != number) link = &slots[*link - 1].next;
    *link = slot->next;
    memset(slot, 0, sizeof *slot);
}

int registry_check(const unsigned char *id) {
    if (find(id)) return ALREADY_STARTED;
    return any_let_go && id_ms(id) <= floor_ms ? TOO_OLD : 0;
}

static void let_go(struct slot *slot) {
    floor_ms = MAX(floor_ms, id_ms(slot->id));
    any_let_go = true;
    if (slot->command) registry_forget(slot->command);
    unlink_slot(slot);
}

bool registry_add(const unsigned char *id, struct command *command) {
    // Those that still run are passed over: there are far fewer of them than slots.
    while (slots[cursor].command && slots[cursor].command->state != COMMAND_ENDED) cursor = (cursor + 1) % REMEMBERED;
    struct slot *slot = &slots[cursor];
    cursor = (cursor + 1) % REMEMBERED;
    if (slot->used) let_go(slot);
    memcpy(slot->id, id, ID_SIZE);
    slot->command = command;
    slot->used = true;
    uint16_t *first = bucket(id);
    slot->next = *first;
    *first = (uint16_t)(slot - slots + 1);
    return true;
}

struct command *registry_find(const unsigned char *id) {
    struct slot *slot = find(id);
    return slot ? slot->command : NULL;
}

void registry_refused(const unsigned char *id) {
    struct slot *slot = find(id);
    if (slot) unlink_slot(slot);
}

void registry_ended(struct command *command) {
    command->later = NULL;
    command->longer_ago = latest_ended;
    if (latest_ended) latest_ended->later = command;
    else oldest_ended = command;
    latest_ended = command;
}

static void leave_ended(struct command *command) {
    if (command->longer_ago) command->longer_ago->later = command->later;
    else oldest_ended = command->later;
    if (command->later) command->later->longer_ago = command->longer_ago;
    else latest_ended = command->longer_ago;
}

void registry_forget(struct command *command) {
    struct slot *slot = find(command->id);
    if (slot) slot->command = NULL;
    leave_ended(command);
    command_free(command);
}

// What the budget asks for: the output of the command that ended longest ago, unless somebody is promised all of it.
static bool evict(void) {
    for (struct command *c = oldest_ended; c; c = c->later) {
        if (spool_size(&c->spool[0]) + spool_size(&c->spool[1]) == 0 || followers_hold(c)) continue;
        spool_drop(&c->spool[0]);
        spool_drop(&c->spool[1]);
        return true;
    }
    return false;
}

__attribute__((constructor)) static void offer_eviction(void) { spool_evict = evict; }
