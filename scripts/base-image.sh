# `hermit base-image [--suite SUITE] [--tag TAG] [--again]`: a minimal Debian image for sandboxes, made with debootstrap where no registry
# can be reached. `hermit image build` is the way for people. Sourced by the launcher, and by the scripts that need the image.
# The root file system is kept as a tarball below ~/.cache/hermit; --again makes it anew.

. "$root/scripts/packages.sh"

# base_image SUITE TAG AGAIN: when this returns, the engine has the image TAG. It must answer already.
base_image() {
    suite=$1
    tag=$2
    case $suite in
        *[!a-z0-9-]* | -* | '') fail "'$suite' is not the name of a Debian release" ;;
    esac
    if [ "$3" != again ] && docker image inspect "$tag" >/dev/null 2>&1; then
        return 0
    fi
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/hermit
    tarball=$cache/base-$suite-$(uname -m).tar.gz
    if [ "$3" = again ] || [ ! -f "$tarball" ]; then
        # In a shell of its own, which cleans up behind itself without touching what our caller cleans up.
        (make_tarball) || exit 5
    fi
    say "importing $tag"
    docker import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'CMD ["/bin/bash"]' \
        "$tarball" "$tag" >/dev/null || fail "docker import of $tarball failed"
}

make_tarball() {
    [ "$(id -u)" = 0 ] || fail "making a base image with debootstrap needs root: sudo $HERMIT_LAUNCHER image build"
    require_programs debootstrap=debootstrap
    say "making a Debian $suite base image with debootstrap (a minute or two)"
    mkdir -p "$cache"
    tree=$(mktemp -d "$cache/base-$suite.XXXXXX") || fail "no folder can be made in $cache"
    # shellcheck disable=SC2064 # the folder is known now
    trap "rm -rf '$tree'" EXIT
    if ! debootstrap --variant=minbase "$suite" "$tree/root" </dev/null >"$cache/debootstrap.log" 2>&1; then
        tail -n 5 "$cache/debootstrap.log" >&2
        fail "debootstrap failed (its log: $cache/debootstrap.log)"
    fi
    # What the making left behind: packages, lists, logs, and the names of this machine.
    rm -rf "$tree"/root/var/cache/apt/archives/*.deb "$tree"/root/var/lib/apt/lists/* "$tree"/root/var/log/*.log \
        "$tree"/root/debootstrap "$tree"/root/tmp/* "$tree/root/etc/hostname" "$tree/root/etc/resolv.conf"
    tar -C "$tree/root" --numeric-owner -cf - . | gzip -1 >"$tree/tarball" || fail "packing the image failed"
    mv "$tree/tarball" "$tarball"
}

# Called by its own name: `hermit base-image …`.
base_image_command() {
    wanted_suite=bookworm
    wanted_tag=
    wanted_again=
    while [ $# -gt 0 ]; do
        case $1 in
            --suite) wanted_suite=${2-} && shift ;;
            --tag) wanted_tag=${2-} && shift ;;
            --again) wanted_again=again ;;
            *)
                say "usage: hermit base-image [--suite SUITE] [--tag TAG] [--again]"
                exit 2
                ;;
        esac
        shift || break
    done
    . "$root/scripts/docker.sh"
    require_docker "${HERMIT_HOME:-$HOME/.hermit}/logs/dockerd.log"
    base_image "$wanted_suite" "${wanted_tag:-hermit-base:$wanted_suite}" "$wanted_again"
    say "image ${wanted_tag:-hermit-base:$wanted_suite} is there"
}

[ "$first" != base-image ] || base_image_command "$@"
