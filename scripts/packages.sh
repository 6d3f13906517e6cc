# Installs Debian packages, where that can be done: with apt-get, as root. Sourced.

can_install() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]
}

# offered PACKAGE: whether apt knows a version of it.
offered() {
    apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'
}

# install_packages NAME…: in one step, and says so first.
install_packages() {
    say "installing with apt-get: $*"
    {
        apt-get update -q &&
            env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
    } </dev/null >&2 || fail "apt-get could not install: $*"
}

# require_programs PROGRAM=PACKAGE…: each program must be there. What is missing is installed, or named, all at once.
require_programs() {
    missing_packages=
    missing_programs=
    for pair; do
        if ! command -v "${pair%%=*}" >/dev/null; then
            missing_programs="$missing_programs ${pair%%=*}"
            missing_packages="$missing_packages ${pair#*=}"
        fi
    done
    [ -n "$missing_programs" ] || return 0
    if can_install; then
        # shellcheck disable=SC2086 # a list of words
        install_packages $missing_packages
        return 0
    fi
    say "missing here:$missing_programs"
    fail "install them first; on Debian or Ubuntu, as root: apt-get install$missing_packages"
}
