# `hermit test [MAVEN ARGUMENTS]`: every test, from units to a real Docker engine and a real PostgreSQL. Sourced by the launcher.
# Installs and starts what is missing on Debian as root; elsewhere says what is missing. The engine is stopped again if it was started here.

require_jdk
. "$root/scripts/packages.sh"
. "$root/scripts/docker.sh"
# One list, so that whoever has to install it all learns of it at once. PostgreSQL is brought by Maven.
require_programs mvn=maven make=make gcc=gcc musl-gcc=musl-tools aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu docker=docker.io \
    debootstrap=debootstrap docker-registry=docker-registry iptables=iptables python3=python3 node=nodejs npm=npm chromium=chromium
mkdir -p "$root/build"
require_docker "$root/build/dockerd.log"
trap stop_started_docker EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
. "$root/scripts/base-image.sh"
base_image bookworm hermit-base:bookworm ''

cd "$root" || exit 5
export JAVA_HOME="$jdk"
# Maven 3 itself uses what newer JDKs warn about.
export MAVEN_OPTS="${MAVEN_OPTS-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
# The keeper's own tests come first, so that the summary of all others is the end of the output.
make -C guest test </dev/null || exit
# All modules are tried, also behind one that fails.
mvn -B -fae -Dstyle.color=never verify "$@" </dev/null
