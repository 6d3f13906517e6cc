// The limit on what a workspace takes on the disk. It cannot be reserved from in here, so it is measured: in the background while
// commands run, and now and then only. What is known decides how large a file may become, and ends commands when it is too much.
#ifndef DISK_H
#define DISK_H

#include "request.h"

enum disk_effect { DISK_NONE, DISK_BARRED, DISK_ENDED };

// How the limit has to do with one command. `limit` is 0 if there is none.
struct disk_use {
    uint64_t limit, used;
    enum disk_effect effect;
};

// A command is about to start. Sets how large a file of it may become, and answers how it stands with the limit.
struct disk_use disk_start(struct request *request);

// The same as it stands now, when the command has ended.
void disk_end(struct disk_use *use);

void disk_tick(void);
int disk_tick_ms(void); // how long to wait at most until the next one, -1: for ever

#endif
