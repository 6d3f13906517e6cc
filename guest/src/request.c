#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

enum { ID = 1, ARGV, ENV, CWD, USER, TIMEOUT, GRACE, FLAGS, COLS, ROWS, HEAD, WINDOW, DISK_LIMIT, DISK_PATH };

#define DEFAULT_GRACE_MS 2000
#define LONGEST_MS ((uint64_t)1 << 41) // about 70 years: sums of times stay far from overflow

static const char *check_texts(struct request *request) {
    struct fields fields = {request->payload, request->payload + request->size};
    struct field f;
    while (fields_next(&fields, &f) > 0) {
        if (f.tag != ARGV && f.tag != ENV && f.tag != CWD && f.tag != USER && f.tag != DISK_PATH) continue;
        if (memchr(f.bytes, 0, f.size)) return "a text contains NUL";
        if (f.tag == ENV && (f.size == 0 || f.bytes[0] == '=' || !memchr(f.bytes, '=', f.size)))
            return "an environment entry is not K=V";
    }
    return NULL;
}

const char *request_read(struct request *request, unsigned char *payload, size_t size) {
    memset(request, 0, sizeof *request);
    request->payload = payload;
    request->size = size;
    request->grace_ms = DEFAULT_GRACE_MS;
    request->cols = 80;
    request->rows = 24;
    request->head_limit = 64 << 10;
    request->file_most = UINT64_MAX;
    struct field id;
    struct field_rule rules[] = {
        {.tag = ID, .required = true, .kind = BYTES, .size = ID_SIZE, .bytes = &id},
        {.tag = ARGV, .required = true, .kind = LIST, .count = &request->argc},
        {.tag = ENV, .kind = LIST, .count = &request->envc},
        {.tag = CWD, .required = true, .kind = BYTES, .bytes = &request->cwd},
        {.tag = USER, .required = true, .kind = BYTES, .bytes = &request->user},
        {.tag = TIMEOUT, .number = &request->timeout_ms},
        {.tag = GRACE, .number = &request->grace_ms},
        {.tag = FLAGS, .number = &request->flags},
        {.tag = COLS, .number = &request->cols},
        {.tag = ROWS, .number = &request->rows},
        {.tag = HEAD, .number = &request->head_limit},
        {.tag = WINDOW, .number = &request->window},
        {.tag = DISK_LIMIT, .number = &request->disk_limit},
        {.tag = DISK_PATH, .kind = BYTES, .bytes = &request->disk_path},
    };
    if (!fields_read(payload, size, rules, sizeof rules / sizeof *rules)) return "malformed START";
    memcpy(request->id, id.bytes, ID_SIZE);
    if (request->cwd.size == 0 || request->cwd.bytes[0] != '/') return "cwd is not absolute";
    if (request->user.size == 0) return "user is empty";
    if (request->flags & ~(uint64_t)(STDIN_OPEN | PTY | HOLD | STDIN_BOUND | NEW_FILES)) return "unknown flags";
    if (request->disk_limit >= UNLIMITED) return "the disk limit is too large";
    if (request->disk_limit && (request->disk_path.size == 0 || request->disk_path.size > DISK_PATH_MAX ||
                                request->disk_path.bytes[0] != '/'))
        return "the disk limit names no absolute path";
    if (request->cols > 65535 || request->rows > 65535) return "terminal size is too large";
    if (request->cols == 0) request->cols = 80;
    if (request->rows == 0) request->rows = 24;
    request->timeout_ms = MIN(request->timeout_ms, LONGEST_MS);
    request->grace_ms = MIN(request->grace_ms, LONGEST_MS);
    request->window = MIN(request->window, UNLIMITED);
    return check_texts(request);
}

bool request_vectors(struct request *request, struct vectors *vectors) {
    char **pointers = calloc(request->argc + request->envc + 2, sizeof *pointers);
    if (!pointers) return false;
    vectors->argv = pointers;
    vectors->envp = pointers + request->argc + 1;
    size_t argc = 0, envc = 0;
    unsigned char *last_end = NULL;
    struct fields fields = {request->payload, request->payload + request->size};
    struct field f;
    while (fields_next(&fields, &f) > 0) {
        // A text ends where the next field's tag lies. That tag has been read by now, or is read in this turn.
        if (last_end) *last_end = 0;
        char *text = (char *)request->payload + (f.bytes - request->payload);
        last_end = (unsigned char *)text + f.size;
        if (f.tag == ARGV) vectors->argv[argc++] = text;
        if (f.tag == ENV) vectors->envp[envc++] = text;
        if (f.tag == CWD) vectors->cwd = text;
        if (f.tag == USER) vectors->user = text;
    }
    if (last_end) *last_end = 0;
    return true;
}
