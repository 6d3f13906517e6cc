// Big-endian integers in byte buffers, as all frames have them.
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t get_u16(const unsigned char *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static inline uint32_t get_u32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t get_u64(const unsigned char *p) { return (uint64_t)get_u32(p) << 32 | get_u32(p + 4); }

static inline void put_u32(unsigned char *p, uint32_t v) {
    p[0] = (unsigned char)(v >> 24);
    p[1] = (unsigned char)(v >> 16);
    p[2] = (unsigned char)(v >> 8);
    p[3] = (unsigned char)v;
}

static inline void put_u64(unsigned char *p, uint64_t v) {
    put_u32(p, (uint32_t)(v >> 32));
    put_u32(p + 4, (uint32_t)v);
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

#endif
