#!/bin/bash
# A Docker engine of our own, where a machine has none: as root on Debian or Ubuntu.
# Usage: engine-up.sh [STATE]      then: export DOCKER_HOST=unix://STATE/docker.sock
# Everything of it lies below STATE (default /run/tcab/engine), images and containers in
# TCAB_ENGINE_DATA where that is set: a real disk, never a tmpfs.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/packages.sh"
. "$here/daemons.sh"
export PATH=$PATH:/usr/sbin:/sbin

use_state "${1:-${TCAB_ENGINE_STATE:-/run/tcab/engine}}"
SOCKET=$STATE/docker.sock

# What dockerd changes of the machine, for engine-down.sh to put back.
note_machine() {
    [[ -e $STATE/forward-policy ]] && return 0
    iptables -S FORWARD | awk '$1 == "-P" { print $3 }' >"$STATE/forward-policy"
    cat /proc/sys/net/ipv4/ip_forward >"$STATE/ip-forward"
}

refuse_tmpfs() {
    [[ $(stat -f -c %T "$1") != tmpfs ]] ||
        die "$1 lies in memory, too little for images" "name a folder on a disk with TCAB_ENGINE_DATA"
}

apt_install curl iproute2 procps
# An engine that answers is left alone, whoever started it.
if answers "$SOCKET"; then
    echo "an engine is up: DOCKER_HOST=unix://$SOCKET"
    exit 0
fi
# Two would fight over one bridge and one set of rules.
if ip link show docker0 >/dev/null 2>&1 && pgrep -x dockerd >/dev/null; then
    die "another Docker engine runs on this machine" "let DOCKER_HOST name its socket"
fi
apt_install docker.io iptables
make_state engine
exec 9>"$STATE/lock"
flock 9
answers "$SOCKET" && exit 0
DATA=${TCAB_ENGINE_DATA:-$STATE/data}
mkdir -p "$DATA"
refuse_tmpfs "$DATA"
note_machine
ulimit -n "$(ulimit -Hn)"
# A configuration of its own, so that the machine's /etc/docker has no say; and no PID file of a
# crashed engine, which dockerd could take for a running one.
echo '{}' >"$STATE/daemon.json"
rm -f "$STATE/docker.pid" "$STATE/exec/containerd/containerd.pid"
start_daemon dockerd dockerd --config-file "$STATE/daemon.json" --data-root "$DATA" \
    --exec-root "$STATE/exec" --pidfile "$STATE/docker.pid" -H "unix://$SOCKET"
await_engine dockerd "$SOCKET"
echo "the engine is up: DOCKER_HOST=unix://$SOCKET"
