// What `keeper version` and HELLO say.
#ifndef VERSION_H
#define VERSION_H

#ifndef KEEPER_VERSION
#define KEEPER_VERSION "0.1.0"
#endif

#if defined(__x86_64__)
#define KEEPER_ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#define KEEPER_ARCHITECTURE "arm64"
#else
#define KEEPER_ARCHITECTURE "other"
#endif

extern unsigned char boot_id[16];

#endif
