#include "wire.h"

#include <string.h>

#include "bytes.h"

int frame_parse(unsigned char *bytes, size_t size, struct frame *frame, size_t *used) {
    if (size < 4) return 0;
    uint32_t length = get_u32(bytes);
    if (length < 5 || length > 5 + PAYLOAD_MAX) return -1;
    if (size < 4 + (size_t)length) return 0;
    frame->type = bytes[4];
    frame->channel = get_u32(bytes + 5);
    frame->payload = bytes + FRAME_HEADER;
    frame->size = length - 5;
    *used = 4 + (size_t)length;
    return 1;
}

void frame_header(unsigned char *to, uint8_t type, uint32_t channel, size_t payload) {
    put_u32(to, (uint32_t)payload + 5);
    to[4] = type;
    put_u32(to + 5, channel);
}

int fields_next(struct fields *fields, struct field *field) {
    size_t left = (size_t)(fields->end - fields->next);
    if (left == 0) return 0;
    if (left < 5) return -1;
    size_t size = get_u32(fields->next + 1);
    if (size > left - 5) return -1;
    field->tag = fields->next[0];
    field->bytes = fields->next + 5;
    field->size = size;
    fields->next += 5 + size;
    return 1;
}

static bool take(struct field_rule *rule, const struct field *field, bool repeated) {
    switch (rule->kind) {
    case NUMBER:
        if (repeated || field->size != 8) return false;
        *rule->number = get_u64(field->bytes);
        return true;
    case BYTES:
        if (repeated || (rule->size != 0 && field->size != rule->size)) return false;
        *rule->bytes = *field;
        return true;
    case LIST:
        if (!repeated && rule->bytes) *rule->bytes = *field;
        ++*rule->count;
        return true;
    }
    return false;
}

bool fields_read(const unsigned char *payload, size_t size, struct field_rule *rules, size_t count) {
    struct fields fields = {payload, payload + size};
    struct field field;
    uint32_t seen = 0;
    int more;
    while ((more = fields_next(&fields, &field)) > 0) {
        size_t i = 0;
        while (i < count && rules[i].tag != field.tag) i++;
        if (i == count || !take(&rules[i], &field, seen >> i & 1)) return false;
        seen |= 1u << i;
    }
    if (more < 0) return false;
    for (size_t i = 0; i < count; i++)
        if (rules[i].required && !(seen >> i & 1)) return false;
    return true;
}

void write_bytes(struct writer *w, uint8_t tag, const void *bytes, size_t size) {
    size_t room = sizeof w->bytes - w->size;
    if (room < 5) return;
    size = MIN(size, room - 5);
    w->bytes[w->size] = tag;
    put_u32(w->bytes + w->size + 1, (uint32_t)size);
    memcpy(w->bytes + w->size + 5, bytes, size);
    w->size += 5 + size;
}

void write_number(struct writer *w, uint8_t tag, uint64_t value) {
    unsigned char bytes[8];
    put_u64(bytes, value);
    write_bytes(w, tag, bytes, sizeof bytes);
}

void write_text(struct writer *w, uint8_t tag, const char *text) { write_bytes(w, tag, text, strlen(text)); }
