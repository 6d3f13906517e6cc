// How many processes of this container the kernel has killed for want of memory.
#ifndef OOM_H
#define OOM_H

#include <stdint.h>

void oom_open(const char *cgroup); // the directory where the cgroup file systems are mounted
uint64_t oom_kills(void);          // 0 if the kernel does not say
uint64_t oom_parse(const char *text);

#endif
