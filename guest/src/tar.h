// Headers of tar archives, read and written: ustar, with pax records and GNU's long names. No input or output here.
#ifndef TAR_H
#define TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAR_BLOCK 512
#define TAR_NAME_MAX 4096
#define TAR_EXTRA_MAX 65536 // of one pax or long name record

struct tar_entry {
    char type; // as in the header, but '0' for every kind of regular file
    unsigned mode;
    uint64_t size;
    int64_t mtime;
    char name[TAR_NAME_MAX], link[TAR_NAME_MAX];
};

// What the records before a header say about it.
struct tar_extra {
    bool has_name, has_link, has_size, has_mtime;
    char name[TAR_NAME_MAX], link[TAR_NAME_MAX];
    uint64_t size;
    int64_t mtime;
};

enum tar_result { TAR_BAD, TAR_END, TAR_ENTRY };

// One header block. Types x, g, L and K are entries like others: their data is for tar_pax and tar_long.
enum tar_result tar_parse(const unsigned char block[TAR_BLOCK], struct tar_entry *entry);
bool tar_pax(const char *records, size_t size, struct tar_extra *extra);
bool tar_long(const char *text, size_t size, bool link, struct tar_extra *extra);
void tar_apply(const struct tar_extra *extra, struct tar_entry *entry);

// A whole header for the entry, with pax records before it where they are needed. Bytes written to `to`.
#define TAR_HEADER_MAX (2 * TAR_BLOCK + 3 * TAR_NAME_MAX)
size_t tar_format(const struct tar_entry *entry, uint32_t uid, uint32_t gid, unsigned char to[TAR_HEADER_MAX]);

static inline uint64_t tar_padding(uint64_t size) { return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK; }

#endif
