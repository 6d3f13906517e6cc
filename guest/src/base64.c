#include "base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encode(const unsigned char *bytes, size_t size, char *text) {
    char *t = text;
    for (size_t i = 0; i < size; i += 3) {
        unsigned n = (unsigned)bytes[i] << 16 | (i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0) |
                     (i + 2 < size ? bytes[i + 2] : 0u);
        *t++ = letters[n >> 18];
        *t++ = letters[n >> 12 & 63];
        *t++ = i + 1 < size ? letters[n >> 6 & 63] : '=';
        *t++ = i + 2 < size ? letters[n & 63] : '=';
    }
    return (size_t)(t - text);
}

static int value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

ssize_t base64_decode(char *text, size_t size) {
    size_t out = 0;
    if (size % 4 != 0) return -1;
    size_t padding = size > 0 && text[size - 1] == '=' ? 1 + (text[size - 2] == '=') : 0;
    for (size_t i = 0; i < size; i += 4) {
        unsigned n = 0;
        for (size_t k = 0; k < 4; k++) {
            int v = i + k >= size - padding ? 0 : value(text[i + k]);
            if (v < 0) return -1;
            n = n << 6 | (unsigned)v;
        }
        text[out++] = (char)(n >> 16);
        text[out++] = (char)(n >> 8);
        text[out++] = (char)n;
    }
    return (ssize_t)(out - padding);
}
