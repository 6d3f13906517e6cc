#!/usr/bin/env bash
# How fast things start, against `java -version` of the same JDK in the same run: `hermit --version`, `hermit agents list`, and the gateway up
# to a good answer of /ready, with AGENTS agents in its SQLite file; and the gateway's idle memory. All are measured in turn, ROUNDS times;
# printed are medians, and their ratios to `java -version`. Needs curl to make the agents, otherwise only bash.
#
# usage: bench/start.sh [ROUNDS [AGENTS]]
set -euo pipefail

rounds=${1:-11}
agents=${2:-1000}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
hermit=$root/hermit

"$hermit" build
# The same JDK that the launcher uses.
java=$(root=$root bash -c '. "$root/scripts/jdk.sh"; find_jdk && echo "$java"')

HERMIT_HOME=$(mktemp -d)
export HERMIT_HOME
unset HERMIT_URL HERMIT_TOKEN HERMIT_ADMIN_TOKEN DATABASE_URL
gateway=
cleanup() {
    [ -z "$gateway" ] || kill "$gateway" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$HERMIT_HOME"
}
trap cleanup EXIT

port=$((20000 + RANDOM % 20000))
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
echo "{\"server\": {\"port\": $port}}" >"$HERMIT_HOME/gateway.json"


# timed NAME COMMAND…: runs it, and adds how long it took to the series NAME.
declare -A series=()
timed() {
    local name=$1 begin end
    shift
    begin=${EPOCHREALTIME/[.,]/}
    "$@" >/dev/null 2>&1
    end=${EPOCHREALTIME/[.,]/}
    series[$name]+="$((end - begin)) "
}

# Asks /ready without starting a process: that would take longer than the answer.
ready() {
    local status
    { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 1
    printf 'GET /ready HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$port" >&3
    read -r status <&3 || status=
    exec 3>&-
    [[ $status == *" 200 "* ]]
}

# Waits 5 ms without starting a process, so that watching does not take the processor from what is watched.
exec 4<> <(:)
pause() {
    read -rt 0.005 -u 4 || true
}

start_gateway() {
    "$hermit" gateway run >"$HERMIT_HOME/log" 2>&1 &
    gateway=$!
    until ready; do
        kill -0 "$gateway" 2>/dev/null || { cat "$HERMIT_HOME/log" >&2; exit 1; }
        pause
    done
}

stop_gateway() {
    kill "$gateway"
    wait "$gateway" || true
    gateway=
}

median() {
    tr ' ' '\n' <<<"$1" | grep . | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

start_gateway
{
    echo "header = \"Authorization: Bearer $(cat "$HERMIT_HOME/admin-token")\""
    echo 'header = "Content-Type: application/json"'
    for i in $(seq "$agents"); do
        echo "url = \"http://127.0.0.1:$port/api/agents\""
        echo "data = \"{\\\"id\\\": \\\"agent-$i\\\"}\""
        [ "$i" -eq "$agents" ] || echo next
        [ "$i" -eq "$agents" ] || echo "header = \"Authorization: Bearer $(<"$HERMIT_HOME/admin-token")\""
        [ "$i" -eq "$agents" ] || echo 'header = "Content-Type: application/json"'
    done
} >"$HERMIT_HOME/requests"
curl -sS --fail -o /dev/null -K "$HERMIT_HOME/requests" >/dev/null
stop_gateway

for _ in $(seq "$rounds"); do
    timed 'java -version' "$java" -version
    timed 'hermit --version' "$hermit" --version
    timed 'gateway to /ready' start_gateway
    # What a start leaves to do in the background is not the command's.
    sleep 1
    timed 'hermit agents list' "$hermit" agents list
    timed 'hermit presets list' "$hermit" presets list
    stop_gateway
done

# Idle memory is that of a gateway that has been left alone since its start.
start_gateway
sleep 10
idle=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$gateway/status")
stop_gateway

base=$(median "${series['java -version']}")
echo "$rounds rounds, $agents agents, load $(cut -d' ' -f1 /proc/loadavg)"
for name in 'java -version' 'hermit --version' 'hermit agents list' 'hermit presets list' 'gateway to /ready'; do
    awk -v name="$name" -v t="$(median "${series[$name]}")" -v base="$base" \
        'BEGIN { printf "%-22s %7.1f ms   %6.2f x java -version\n", name, t / 1000, t / base }'
done
printf '%-22s %7d MB\n' 'gateway, idle' "$idle"
