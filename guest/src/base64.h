#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>
#include <sys/types.h>

#define BASE64_SIZE(n) (((n) + 2) / 3 * 4)

size_t base64_encode(const unsigned char *bytes, size_t size, char *text);
ssize_t base64_decode(char *text, size_t size); // in place; -1 if it is none
#endif
