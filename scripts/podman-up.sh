#!/bin/bash
# Podman's API service on a socket of its own, with its own storage, beside any other engine: as
# root. Usage: podman-up.sh [STATE]      then: export DOCKER_HOST=unix://STATE/podman.sock
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/packages.sh"
. "$here/daemons.sh"

use_state "${1:-/run/tcab/podman}"
SOCKET=$STATE/podman.sock

apt_install curl podman runc netavark
if answers "$SOCKET"; then
    echo "podman is up: DOCKER_HOST=unix://$SOCKET"
    exit 0
fi
make_state podman
exec 9>"$STATE/lock"
flock 9
answers "$SOCKET" && exit 0
# runc takes control groups of either version, mixed ones too; limits are not raised above the
# machine's, which may not be permitted.
cat >"$STATE/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
CONF
start_daemon podman env CONTAINERS_CONF="$STATE/containers.conf" podman --root "$STATE/storage" \
    --runroot "$STATE/run" --network-config-dir "$STATE/networks" --tmpdir "$STATE/tmp" \
    system service --time 0 "unix://$SOCKET"
await_engine podman "$SOCKET"
echo "podman is up: DOCKER_HOST=unix://$SOCKET"
