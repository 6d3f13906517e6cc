// `keeper fs`: one file operation for each call, as the user it was started as.
#ifndef FS_H
#define FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

// Every failure ends the process: "code<TAB>message" on stderr, exit 1.
_Noreturn void fs_fail(const char *code, const char *what, const char *name);
_Noreturn void fs_fail_errno(const char *what, const char *name);
extern void (*fs_cleanup)(void); // called before such an end, and when a signal ends the process

// How many bytes a new file may have: under a disk limit, what is left of it (see NEW_FILES). UINT64_MAX: any number.
uint64_t fs_room(void);
_Noreturn void fs_no_room(const char *name);

uint64_t fs_number(const char *text);
void fs_check_path(const char *path); // absolute

void fs_put(const void *bytes, size_t size); // to stdout, all of it
void fs_put_escaped(const char *name);
void fs_flush(void);
void fs_record(int dir, const char *entry, const struct stat *st, const char *name);

int fs_open_parent(const char *path, const char **last, char *buffer, size_t size); // the directory that `path` is in
bool fs_is_root(const char *path);
#define FS_TEMPORARY 40
void fs_temporary_name(char name[FS_TEMPORARY]); // chance keeps apart whoever works in the same directory
void fs_make_parents(const char *path, bool last_too);
void fs_copy_bytes(int from, int to, const char *name);
void fs_write_all(int fd, const void *bytes, size_t size, const char *name);
size_t fs_read_stdin(void *to, size_t size, const char *name); // some bytes; 0 at the end

void fs_delete_tree(int dir, const char *name, const char *shown); // anything, never through a link

void fs_stat(char **args);
void fs_list(char **args);
void fs_read(char **args);
void fs_write(char **args);
void fs_mkdir(char **args);
void fs_move(char **args);
void fs_delete(char **args);
void fs_empty(char **args);
void fs_pack(char **args);
void fs_unpack(char **args);

#define FS_PATH_MAX 4096
#define FS_DEPTH_MAX 256 // of open directories

#endif
