#!/bin/sh
# The arm64 binary under emulation: what needs no PID 1.
set -eu
keeper="qemu-aarch64-static build/keeper-arm64"
$keeper version | grep -q '^keeper .* arm64$'
[ "$(env -i A=1 B=2 $keeper env | tr '\0' '\n' | sort | tr '\n' ' ')" = "A=1 B=2 " ]
[ "$($keeper fs stat /dev/null | cut -c1)" = c ]
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf hello | $keeper fs write "$dir/a/f" 5 600 >/dev/null
mkdir "$dir/to"
$keeper fs pack "$dir/a" | $keeper fs unpack "$dir/to" 1000 10
[ "$(cat "$dir/to/a/f")" = hello ]
echo "arm64 ok"
