#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"
#include "version.h"
#include "wire.h"

static int usage(void) {
    fprintf(stderr, "keeper init | daemon [--print-env] | bridge [--terminal] | env | fs OP ... | run [--dir DIR] ... | version\n"
                    "init, daemon and bridge take --socket PATH\n");
    return 2;
}

// The modes that speak through the socket.
static int socket_mode(const char *mode, int argc, char **argv) {
    bool terminal = false, print_env = false;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--socket") == 0 && i + 1 < argc) {
            if (setenv("HERMIT_KEEPER_SOCKET", argv[++i], 1) < 0) return 1;
        } else if (strcmp(argv[i], "--terminal") == 0 && *mode == 'b') {
            terminal = true;
        } else if (strcmp(argv[i], "--print-env") == 0 && *mode == 'd') {
            print_env = true;
        } else {
            return usage();
        }
    }
    if (*mode == 'i') return mode_init();
    if (*mode == 'b') return mode_bridge(terminal);
    return mode_daemon(print_env);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "init") == 0 || strcmp(mode, "daemon") == 0 || strcmp(mode, "bridge") == 0)
        return socket_mode(mode, argc - 2, argv + 2);
    if (strcmp(mode, "env") == 0 && argc == 2) return mode_env();
    if (strcmp(mode, "fs") == 0) return mode_fs(argc - 2, argv + 2);
    if (strcmp(mode, "run") == 0) return mode_run(argc - 2, argv + 2);
    if (strcmp(mode, "version") == 0 && argc == 2)
        return printf("keeper %s protocol %d %s\n", KEEPER_VERSION, PROTOCOL_VERSION, KEEPER_ARCHITECTURE) < 0;
    return usage();
}
