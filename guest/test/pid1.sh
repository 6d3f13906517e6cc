#!/bin/sh
# Inside a new pid namespace, as PID 1 with exactly the capabilities of a sandbox. Called by test_pid1.py.
# $1: the keeper, $2: its socket
mount -t tmpfs -o noexec,nosuid,nodev,mode=0700 none "$(dirname "$2")" || exit 77
HERMIT_KEEPER_SOCKET=$2 exec setpriv --no-new-privs --bounding-set=-all,+chown,+dac_override,+fowner,+setuid,+setgid,+kill \
    --inh-caps=-all,+chown,+dac_override,+fowner,+setuid,+setgid,+kill "$1" init
