// Frames and fields: the format that README.md describes, and nothing of what the frames mean.
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_VERSION 1
#define FRAME_HEADER 9 // length, type, channel
#define PAYLOAD_MAX 65536
#define FRAME_MAX (FRAME_HEADER + PAYLOAD_MAX)
#define START_MAX (4u << 20)
#define ID_SIZE 16
#define UNLIMITED ((uint64_t)1 << 62) // more credit than any stream can use

enum frame_type {
    HELLO = 0x01, PING = 0x02, PONG = 0x03, ERROR = 0x04,
    START = 0x10, STARTED = 0x11, REFUSED = 0x12, ATTACH = 0x13, ATTACHED = 0x14, DETACH = 0x15, FORGET = 0x16,
    MORE = 0x17,
    OUTPUT = 0x20, CREDIT = 0x21, STDIN = 0x22, STDIN_CREDIT = 0x23, STDIN_EOF = 0x24, STDIN_CLOSED = 0x25,
    SIGNAL = 0x26, CANCEL = 0x27, RESIZE = 0x28,
    END = 0x30
};

enum code {
    BAD_REQUEST = 1, BAD_VERSION, ALREADY_STARTED, TOO_OLD, UNKNOWN_EXEC, CWD_NOT_FOUND, USER_NOT_FOUND,
    PROGRAM_NOT_FOUND, NOT_EXECUTABLE, NO_RESOURCES, TOO_MANY, TOO_LARGE, INTERNAL
};

enum flags { STDIN_OPEN = 1, PTY = 2, HOLD = 4, STDIN_BOUND = 8, NEW_FILES = 16 };

enum how { EXITED = 1, SIGNALED, TIMED_OUT, CANCELLED, STDIN_CUT };

struct frame {
    uint8_t type;
    uint32_t channel;
    unsigned char *payload;
    size_t size;
};

// Looks at the first bytes of a stream. 1: a whole frame, *used bytes long; 0: not all there yet; -1: a bad length.
int frame_parse(unsigned char *bytes, size_t size, struct frame *frame, size_t *used);
void frame_header(unsigned char *to, uint8_t type, uint32_t channel, size_t payload);

struct field {
    uint8_t tag;
    const unsigned char *bytes;
    size_t size;
};

struct fields {
    const unsigned char *next, *end;
};

// 1: a field; 0: the end; -1: it runs over the end.
int fields_next(struct fields *fields, struct field *field);

// One entry for each tag that a request may have, in the table that fields_read goes by.
struct field_rule {
    uint8_t tag;
    bool required;
    enum { NUMBER, BYTES, LIST } kind;
    size_t size;            // of BYTES: what it must be, 0 for any
    uint64_t *number;       // where a NUMBER goes
    struct field *bytes;    // where BYTES go; of a LIST: the first of it
    size_t *count;          // how many a LIST has
};

// False if anything is unknown, repeated, too long, of a wrong size or missing.
bool fields_read(const unsigned char *payload, size_t size, struct field_rule *rules, size_t count);

// A small payload under construction. What does not fit is cut (texts) or left out; sizes are chosen so that it fits.
struct writer {
    unsigned char bytes[512];
    size_t size;
};
void write_number(struct writer *w, uint8_t tag, uint64_t value);
void write_bytes(struct writer *w, uint8_t tag, const void *bytes, size_t size);
void write_text(struct writer *w, uint8_t tag, const char *text);

#endif
