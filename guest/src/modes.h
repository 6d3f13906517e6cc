// The ways to start the keeper, one file each.
#ifndef MODES_H
#define MODES_H

#include <stdbool.h>

#define DEFAULT_SOCKET "/run/hermit/keeper.sock"

int mode_init(void);
int mode_bridge(bool terminal);
int mode_daemon(bool print_env);
int mode_env(void);
int mode_fs(int argc, char **argv);
int mode_run(int argc, char **argv);

const char *socket_path(void);
int socket_connect(const char *path); // -1 and errno
void hold_standard_descriptors(void); // so that no pipe of ours ever gets the numbers 0 to 2

#endif
