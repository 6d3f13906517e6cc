#include <stdio.h>
#include <string.h>

#include "modes.h"

extern char **environ;

// The environment as it is, each entry ended by a zero byte.
int mode_env(void) {
    for (char **entry = environ; *entry; entry++) fwrite(*entry, 1, strlen(*entry) + 1, stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}
