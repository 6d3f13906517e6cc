// Whatever blocks come: names and links end, and what is said of sizes stays in range.
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tar_entry entry;
    static struct tar_extra extra;
    memset(&extra, 0, sizeof extra);
    size_t at = 0;
    while (size - at >= TAR_BLOCK) {
        unsigned char block[TAR_BLOCK];
        memcpy(block, data + at, TAR_BLOCK);
        // Most inputs would fail at the sum: set it right for all that begin with an even byte.
        if (block[0] % 2 == 0) {
            unsigned sum = 0;
            memset(block + 148, ' ', 8);
            for (size_t i = 0; i < TAR_BLOCK; i++) sum += block[i];
            for (int i = 5; i >= 0; i--, sum >>= 3) block[148 + i] = (unsigned char)('0' + (sum & 7));
        }
        at += TAR_BLOCK;
        if (tar_parse(block, &entry) != TAR_ENTRY) break;
        size_t rest = MIN((size_t)MIN(entry.size, TAR_EXTRA_MAX), size - at);
        char *records = malloc(rest + 1);
        memcpy(records, data + at, rest);
        bool good = true;
        if (entry.type == 'x') good = tar_pax(records, rest, &extra);
        if (entry.type == 'L' || entry.type == 'K') good = tar_long(records, rest, entry.type == 'K', &extra);
        free(records);
        if (!good) break;
        tar_apply(&extra, &entry);
        if (strlen(entry.name) >= TAR_NAME_MAX || strlen(entry.link) >= TAR_NAME_MAX || entry.mode > 07777) abort();
        if (entry.size > INT64_MAX) abort();
        static unsigned char header[TAR_HEADER_MAX];
        if (tar_format(&entry, 0, 0, header) > sizeof header) abort();
        at += MIN(rest + (size_t)tar_padding(rest), size - at);
    }
    return 0;
}
