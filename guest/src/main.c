#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"
#include "version.h"
#include "wire.h"

extern char **environ;

int mode_env(void) {
    for (char **entry = environ; *entry; entry++) fwrite(*entry, 1, strlen(*entry) + 1, stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "init") == 0 && argc == 2) return mode_init();
    if (strcmp(mode, "bridge") == 0 && argc == 2) return mode_bridge();
    if (strcmp(mode, "env") == 0 && argc == 2) return mode_env();
    if (strcmp(mode, "fs") == 0) return mode_fs(argc - 2, argv + 2);
    if (strcmp(mode, "run") == 0) return mode_run(argc - 2, argv + 2);
    if (strcmp(mode, "version") == 0 && argc == 2)
        return printf("keeper %s protocol %d %s\n", KEEPER_VERSION, PROTOCOL_VERSION, KEEPER_ARCHITECTURE) < 0;
    fprintf(stderr, "keeper init | bridge | env | fs OP ... | run [--dir DIR] ... | version\n");
    return 2;
}
