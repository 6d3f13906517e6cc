#include "disk.h"

#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bytes.h"
#include "command.h"
#include "loop.h"
#include "measure.h"
#include "supervisors.h"

#define SETTLE_MS 50             // after a START, before anything is read: most commands have ended by then
#define PAUSE_MS 2000            // from one measurement to the next
#define PAUSE_FULL_MS 250        // the same while the limit is exceeded: somebody makes room and wants to go on
#define QUIET_MS 60000           // the same while nothing starts and nothing changes in the file system as a whole
#define SLICE_US 400             // read at once; nothing else happens in the loop meanwhile
#define REST 32                  // times as long between two slices: three per cent of a processor
#define NOISE ((uint64_t)1 << 20) // a directory that gets longer is no reason to end a command

static char path[DISK_PATH_MAX + 1];
static int root = -1;
static uint64_t limit;

static bool known; // `last` has been measured
static struct measured last;
static uint64_t acted_at; // what was used when commands were ended for it; 0 while the limit is kept

static bool walking, touched; // touched: a command has started since the last measurement began
static bool busy_before;      // when it began
static uint64_t due_us;       // of the next slice or measurement; 0: none is needed
static uint64_t begun_ms, rested_ms, free_before;

static bool full(void) { return known && last.used > limit; }

static uint64_t free_in_system(void) {
    struct statvfs all;
    return fstatvfs(root, &all) == 0 ? (uint64_t)all.f_bfree : UINT64_MAX;
}

static void look_after(const struct field *named) {
    if (root >= 0 && named->size == strlen(path) && memcmp(named->bytes, path, named->size) == 0) return;
    if (root >= 0) close(root);
    walking = known = false;
    acted_at = 0;
    memcpy(path, named->bytes, named->size);
    path[named->size] = 0;
    root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static uint64_t file_most(bool fresh) {
    if (!known) return limit;
    if (full()) return 0;
    uint64_t left = limit - last.used;
    // Without a look at each file, no growth that fits is refused: not even to the largest.
    return fresh ? left : MIN(limit, left + last.largest);
}

struct disk_use disk_start(struct request *request) {
    if (request->disk_limit == 0) return (struct disk_use){0, 0, DISK_NONE};
    limit = request->disk_limit;
    look_after(&request->disk_path);
    request->file_most = file_most(request->flags & NEW_FILES);
    touched = true;
    if (root >= 0 && due_us == 0) due_us = MAX(now_ms() + SETTLE_MS, rested_ms) * 1000;
    return (struct disk_use){limit, last.used, full() ? DISK_BARRED : DISK_NONE};
}

void disk_end(struct disk_use *use) {
    if (use->limit > 0) use->used = known ? last.used : 0;
}

// Whoever is at work may be the one, so nobody is spared. The next ones can remove files, and no file of theirs can grow.
static void act(void) {
    if (!full()) {
        acted_at = 0;
        return;
    }
    if (acted_at == 0 || last.used > acted_at + NOISE) {
        acted_at = last.used;
        commands_end_for_disk();
    }
    acted_at = MIN(acted_at, last.used);
}

static void finish(const struct measured *measured) {
    walking = false;
    known = true;
    last = *measured;
    act();
    rested_ms = now_ms() + (full() ? PAUSE_FULL_MS : PAUSE_MS);
    // Whoever was at work then may have written since.
    due_us = touched || busy_before || supervisors_busy() ? rested_ms * 1000 : 0;
}

static bool worth_while(void) {
    if (touched || full() || !known || now_ms() >= begun_ms + QUIET_MS) return true;
    // Any change: somebody else may have freed what was written here.
    return free_in_system() != free_before || (busy_before && !supervisors_busy()); // the last one has just ended
}

static void begin(void) {
    free_before = free_in_system();
    busy_before = supervisors_busy();
    begun_ms = now_ms();
    touched = false;
    walking = true;
    measure_begin(root);
}

void disk_tick(void) {
    if (due_us == 0 || now_us() < due_us) return;
    if (!walking && !worth_while()) {
        due_us = supervisors_busy() ? now_us() + PAUSE_MS * 1000 : 0;
        return;
    }
    if (!walking) begin();
    struct measured measured;
    uint64_t before = now_us();
    bool all = measure_some(SLICE_US, &measured);
    uint64_t now = now_us();
    due_us = now + REST * (now - before + 1);
    if (all) finish(&measured);
}

int disk_tick_ms(void) {
    if (due_us == 0) return -1;
    uint64_t now = now_us();
    return due_us <= now ? 0 : (int)MIN((due_us - now + 999) / 1000, 60000u);
}
