// Whatever bytes come: frames lie within them, and a request that is accepted can be used.
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "bytes.h"
#include "request.h"

static volatile size_t sink;

static void use(unsigned char *payload, size_t size) {
    struct request request;
    struct vectors v;
    unsigned char *copy = malloc(size + 1);
    memcpy(copy, payload, size);
    if (!request_read(&request, copy, size)) {
        if (!request_vectors(&request, &v)) abort();
        for (size_t i = 0; i < request.argc; i++) sink += strlen(v.argv[i]);
        for (size_t i = 0; i < request.envc; i++)
            if (!strchr(v.envp[i], '=')) abort();
        if (v.argv[request.argc] || v.envp[request.envc] || v.cwd[0] != '/' || !*v.user) abort();
        free(v.argv);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    use(bytes, size);
    size_t at = 0, used;
    struct frame frame;
    while (frame_parse(bytes + at, size - at, &frame, &used) == 1) {
        if (used > size - at || frame.payload + frame.size != bytes + at + used || frame.size > PAYLOAD_MAX) abort();
        use(frame.payload, frame.size);
        uint64_t numbers[2];
        struct field id;
        struct field_rule rules[] = {{.tag = 1, .kind = BYTES, .size = ID_SIZE, .bytes = &id, .required = true},
                                     {.tag = 2, .number = &numbers[0]}, {.tag = 3, .number = &numbers[1]}};
        if (fields_read(frame.payload, frame.size, rules, 3)) sink += id.bytes[ID_SIZE - 1];
        at += used;
    }
    ssize_t decoded = base64_decode((char *)bytes, size);
    if (decoded > (ssize_t)size) abort();
    free(bytes);
    return 0;
}
