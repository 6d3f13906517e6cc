# Finds a JDK that can run Hermit. Sourced by the launcher; starts no process on the usual ways.

jdk_wanted=25
# Where systems and tools put their JDKs.
jdk_places='/usr/lib/jvm/* /opt/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home'

# jdk_version HOME: the feature version of the JDK there, from its own `release` file; 0 when it is none.
jdk_version() {
    jdk_version=0
    [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 0
    while IFS='=' read -r key value; do
        if [ "$key" = JAVA_VERSION ]; then
            value=${value#\"}
            jdk_version=${value%%[!0-9]*}
            [ -n "$jdk_version" ] || jdk_version=0
            return 0
        fi
    done <"$1/release"
}

# use_jdk HOME: takes it if it is new enough and can compile.
use_jdk() {
    jdk_version "$1"
    [ "$jdk_version" -ge $jdk_wanted ] && [ -x "$1/bin/javac" ] || return 1
    java=$1/bin/java
    jdk=$1
}

find_jdk() {
    if [ -n "${HERMIT_JAVA_HOME-}" ]; then
        use_jdk "$HERMIT_JAVA_HOME" && return 0
        # Who names one means that one.
        fail "HERMIT_JAVA_HOME is $HERMIT_JAVA_HOME, and there is no JDK $jdk_wanted or newer"
    fi
    [ -n "${JAVA_HOME-}" ] && use_jdk "$JAVA_HOME" && return 0
    for candidate in $jdk_places; do
        use_jdk "$candidate" && return 0
    done
    candidate=$(command -v java) || return 1
    candidate=$(readlink -f "$candidate" 2>/dev/null) || return 1
    use_jdk "${candidate%/bin/java}"
}

# Sets $java (the program) and $jdk (its home), or ends here. An older Java is never used instead.
require_jdk() {
    find_jdk || {
        install_jdk
        find_jdk || no_jdk
    }
}

# Where the system offers one and we may install it, it is installed.
install_jdk() {
    . "$root/scripts/packages.sh"
    can_install || return 0
    for package in "temurin-$jdk_wanted-jdk" "openjdk-$jdk_wanted-jdk-headless"; do
        if offered "$package"; then
            install_packages "$package"
            return 0
        fi
    done
}

no_jdk() {
    say "JDK $jdk_wanted or newer is needed, and none was found (looked at HERMIT_JAVA_HOME, JAVA_HOME, /usr/lib/jvm and the java on PATH)."
    say "Get one, in any of these ways:"
    say "  Debian or Ubuntu, where the release has it:  apt-get install openjdk-$jdk_wanted-jdk-headless"
    say "  Eclipse Temurin's package temurin-$jdk_wanted-jdk, from their repository: https://adoptium.net/installation/linux/"
    say "  Any download, e.g. https://adoptium.net/temurin/releases/?version=$jdk_wanted, unpacked anywhere, and HERMIT_JAVA_HOME set to it"
    exit 5
}
