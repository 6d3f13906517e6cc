# `hermit build`: builds if sources have changed since the last build. Sourced by the launcher.
require_jdk
. "$root/scripts/build-when-needed.sh"
build_when_needed
say "$dist is up to date"
