# Makes sure that a Docker engine answers. Sourced by the launcher, after packages.sh.

engine_answers() {
    docker version --format '{{.Server.Version}}' >/dev/null 2>&1
}

# require_docker LOG: when this returns, an engine answers. Sets $started_dockerd to the id of the process that was started for
# it, if one was; its messages go to LOG.
require_docker() {
    started_dockerd=
    require_programs docker=docker.io
    ! engine_answers || return 0
    # An engine that was named is somewhere else; nothing here can start it.
    [ -z "${DOCKER_HOST-}" ] || fail "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST"
    if [ "$(id -u)" != 0 ]; then
        [ -S /var/run/docker.sock ] || fail "no Docker engine runs here. Start it as root, e.g.: systemctl start docker"
        fail "no Docker engine answers at /var/run/docker.sock. Is it running, and are you in the group docker? (as root: usermod -aG docker $(id -un), then log in again)"
    fi
    require_programs dockerd=docker.io iptables=iptables
    if [ -d /run/systemd/system ]; then
        say "starting Docker: systemctl start docker"
        systemctl start docker >&2 || fail "systemctl could not start Docker (see: journalctl -u docker)"
    else
        say "starting dockerd (its log: $1)"
        mkdir -p "${1%/*}"
        # Of a session of its own: the end of this terminal, and Ctrl-C in it, are not for the engine.
        nohup setsid dockerd </dev/null >"$1" 2>&1 &
        started_dockerd=$!
    fi
    tries=0
    until engine_answers; do
        tries=$((tries + 1))
        if [ $tries -gt 120 ] || { [ -n "$started_dockerd" ] && ! kill -0 "$started_dockerd" 2>/dev/null; }; then
            ! engine_answers || break # it has come up since we looked
            [ -z "$started_dockerd" ] || tail -n 20 "$1" >&2
            fail "the Docker engine does not answer"
        fi
        sleep 0.5
    done
}

# Stops the engine if require_docker has started it.
stop_started_docker() {
    [ -n "${started_dockerd-}" ] || return 0
    kill "$started_dockerd" 2>/dev/null
    wait "$started_dockerd" 2>/dev/null
    started_dockerd=
}
