// The descendants of a process, and how to end them all.
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Which children of the root are left alone, with all that is below them. May be NULL.
typedef bool tree_spared(pid_t child);

// Signals every living descendant of `root` once. The number of those found.
size_t tree_signal(pid_t root, int sig, tree_spared *spared);

// Stops all of them first, so that none can fork while the others die, then kills. To be repeated until there is none:
// one that was born or handed over during the scan may be missed. The number of those found.
size_t tree_kill(pid_t root, tree_spared *spared);

#endif
