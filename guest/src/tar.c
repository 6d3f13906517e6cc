#include "tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

// The fields of a ustar header: where they are and how long.
enum { NAME = 0, MODE = 100, UID = 108, GID = 116, SIZE = 124, MTIME = 136, SUM = 148, TYPE = 156, LINK = 157,
       MAGIC = 257, PREFIX = 345 };

static bool octal(const unsigned char *field, size_t size, uint64_t *value) {
    uint64_t n = 0;
    size_t i = 0;
    if (field[0] == 0x80) { // GNU: binary, for what octal cannot hold
        for (i = 1; i < size; i++) {
            if (n >> 55) return false;
            n = n << 8 | field[i];
        }
        *value = n;
        return true;
    }
    while (i < size && field[i] == ' ') i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++) n = n << 3 | (field[i] - '0'); // 12 digits at most
    for (; i < size; i++)
        if (field[i] != ' ' && field[i] != 0) return false;
    *value = n;
    return true;
}

static bool sum_is_right(const unsigned char *block) {
    uint64_t said, sum = 0;
    for (size_t i = 0; i < TAR_BLOCK; i++) sum += i >= SUM && i < SUM + 8 ? ' ' : block[i];
    return octal(block + SUM, 8, &said) && said == sum;
}

static bool is_zero(const unsigned char *block) {
    for (size_t i = 0; i < TAR_BLOCK; i++)
        if (block[i]) return false;
    return true;
}

enum tar_result tar_parse(const unsigned char block[TAR_BLOCK], struct tar_entry *entry) {
    uint64_t mode, mtime;
    if (is_zero(block)) return TAR_END;
    if (!sum_is_right(block)) return TAR_BAD;
    if (!octal(block + MODE, 8, &mode) || !octal(block + SIZE, 12, &entry->size)) return TAR_BAD;
    if (!octal(block + MTIME, 12, &mtime)) mtime = 0; // a date before 1970 in GNU's form is no reason to refuse
    if (entry->size > INT64_MAX) return TAR_BAD;
    entry->mode = (unsigned)mode & 07777;
    entry->mtime = (int64_t)MIN(mtime, (uint64_t)1 << 40);
    entry->type = (char)block[TYPE];
    if (entry->type == 0 || entry->type == '7') entry->type = '0';
    size_t prefix = 0;
    // "ustar" NUL "00" has a prefix; GNU's "ustar  " has other things there.
    if (memcmp(block + MAGIC, "ustar\0", 6) == 0 && block[PREFIX]) {
        prefix = strnlen((const char *)block + PREFIX, 155);
        memcpy(entry->name, block + PREFIX, prefix);
        entry->name[prefix++] = '/';
    }
    size_t name = strnlen((const char *)block + NAME, 100), link = strnlen((const char *)block + LINK, 100);
    memcpy(entry->name + prefix, block + NAME, name);
    entry->name[prefix + name] = 0;
    memcpy(entry->link, block + LINK, link);
    entry->link[link] = 0;
    // Old archives mark a directory by its name only.
    if (entry->type == '0' && name > 0 && entry->name[prefix + name - 1] == '/') entry->type = '5';
    if (entry->type >= '1' && entry->type <= '6') entry->size = 0; // no data follows, whatever the header says
    return TAR_ENTRY;
}

static bool take_text(char *to, bool *has, const char *value, size_t size) {
    if (size >= TAR_NAME_MAX || memchr(value, 0, size)) return false;
    memcpy(to, value, size);
    to[size] = 0;
    *has = true;
    return true;
}

static bool decimal(const char *text, size_t size, uint64_t *value) {
    uint64_t n = 0;
    if (size == 0 || size > 18) return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        n = n * 10 + (uint64_t)(text[i] - '0');
    }
    *value = n;
    return true;
}

static bool take_record(const char *key, size_t key_size, const char *value, size_t size, struct tar_extra *extra) {
    if (key_size == 4 && memcmp(key, "path", 4) == 0) return take_text(extra->name, &extra->has_name, value, size);
    if (key_size == 8 && memcmp(key, "linkpath", 8) == 0) return take_text(extra->link, &extra->has_link, value, size);
    if (key_size == 4 && memcmp(key, "size", 4) == 0) return extra->has_size = decimal(value, size, &extra->size);
    if (key_size == 5 && memcmp(key, "mtime", 5) == 0) {
        const char *dot = memchr(value, '.', size);
        uint64_t seconds;
        extra->has_mtime = decimal(value, dot ? (size_t)(dot - value) : size, &seconds);
        if (extra->has_mtime) extra->mtime = (int64_t)MIN(seconds, (uint64_t)1 << 40);
        return true;
    }
    // A sparse file's data is not what its size says.
    return !(key_size >= 10 && memcmp(key, "GNU.sparse", 10) == 0);
}

// "LENGTH key=value\n", where LENGTH counts the whole record.
bool tar_pax(const char *records, size_t size, struct tar_extra *extra) {
    for (size_t at = 0; at < size;) {
        const char *space = memchr(records + at, ' ', MIN(size - at, 20u));
        uint64_t length;
        if (!space || !decimal(records + at, (size_t)(space - records) - at, &length)) return false;
        size_t head = (size_t)(space - records) - at + 1;
        if (length > size - at || length < head + 2) return false;
        const char *key = space + 1, *end = records + at + length - 1;
        const char *equals = memchr(key, '=', (size_t)(end - key));
        if (*end != '\n' || !equals) return false;
        if (!take_record(key, (size_t)(equals - key), equals + 1, (size_t)(end - equals) - 1, extra)) return false;
        at += (size_t)length;
    }
    return true;
}

bool tar_long(const char *text, size_t size, bool link, struct tar_extra *extra) {
    size = strnlen(text, size);
    return link ? take_text(extra->link, &extra->has_link, text, size)
                : take_text(extra->name, &extra->has_name, text, size);
}

void tar_apply(const struct tar_extra *extra, struct tar_entry *entry) {
    if (extra->has_name) strcpy(entry->name, extra->name);
    if (extra->has_link) strcpy(entry->link, extra->link);
    if (extra->has_size && !(entry->type >= '1' && entry->type <= '6')) entry->size = extra->size;
    if (extra->has_mtime) entry->mtime = extra->mtime;
}

static void finish(unsigned char *block, char type) {
    block[TYPE] = (unsigned char)type;
    memcpy(block + MAGIC, "ustar\00000", 8);
    memset(block + SUM, ' ', 8);
    unsigned sum = 0;
    for (size_t i = 0; i < TAR_BLOCK; i++) sum += block[i];
    snprintf((char *)block + SUM, 8, "%06o", sum & 0777777);
    block[SUM + 7] = ' ';
}

static size_t add_record(char *to, const char *key, const char *value) {
    size_t rest = strlen(key) + strlen(value) + 3, length = rest + 1; // " ", "=" and newline; the length counts itself
    for (size_t limit = 10; length >= limit; limit *= 10) length++;
    return (size_t)sprintf(to, "%zu %s=%s\n", length, key, value);
}

static size_t add_number(char *to, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return add_record(to, key, text);
}

static void put_octal(unsigned char *field, int digits, uint64_t value, uint64_t most) {
    snprintf((char *)field, (size_t)digits + 1, "%0*llo", digits, (unsigned long long)MIN(value, most));
}

size_t tar_format(const struct tar_entry *entry, uint32_t uid, uint32_t gid, unsigned char to[TAR_HEADER_MAX]) {
    memset(to, 0, TAR_HEADER_MAX);
    char *records = (char *)to + TAR_BLOCK;
    size_t size = 0;
    if (strlen(entry->name) > 100) size += add_record(records + size, "path", entry->name);
    if (strlen(entry->link) > 100) size += add_record(records + size, "linkpath", entry->link);
    if (entry->size > 077777777777) size += add_number(records + size, "size", entry->size);
    if (uid > 07777777) size += add_number(records + size, "uid", uid);
    if (gid > 07777777) size += add_number(records + size, "gid", gid);
    unsigned char *block = to;
    if (size > 0) {
        strcpy((char *)to + NAME, "pax");
        put_octal(to + MODE, 7, 0644, 07777);
        put_octal(to + SIZE, 11, size, 077777777777);
        put_octal(to + MTIME, 11, 0, 0);
        finish(to, 'x');
        block = to + TAR_BLOCK + size + tar_padding(size);
    }
    memcpy(block + NAME, entry->name, strnlen(entry->name, 100));
    memcpy(block + LINK, entry->link, strnlen(entry->link, 100));
    put_octal(block + MODE, 7, entry->mode, 07777);
    put_octal(block + UID, 7, uid, 07777777);
    put_octal(block + GID, 7, gid, 07777777);
    put_octal(block + SIZE, 11, entry->size, 077777777777);
    put_octal(block + MTIME, 11, entry->mtime > 0 ? (uint64_t)entry->mtime : 0, 077777777777);
    finish(block, entry->type);
    return (size_t)(block - to) + TAR_BLOCK;
}
