# Prepares this machine for `hermit quickstart`: a Docker engine, and an image for the sandbox. Sourced by the launcher.

# Sets $quickstart_image: the image to use, or nothing where the caller named one.
prepare_quickstart() {
    quickstart_image=
    . "$root/scripts/packages.sh"
    . "$root/scripts/docker.sh"
    require_docker "${HERMIT_HOME:-$HOME/.hermit}/logs/dockerd.log"
    case " $* " in
        *' --image'*) return 0 ;;
    esac
    usual=ubuntu:24.04
    built=hermit-base:bookworm
    for image in $usual $built; do
        if docker image inspect "$image" >/dev/null 2>&1; then
            quickstart_image=$image
            return 0
        fi
    done
    say "pulling $usual"
    if docker pull -q $usual </dev/null >/dev/null 2>&1; then
        quickstart_image=$usual
        return 0
    fi
    say "$usual cannot be pulled here (no registry answers); using an image built on this machine instead"
    . "$root/scripts/base-image.sh"
    base_image bookworm $built ''
    quickstart_image=$built
}
