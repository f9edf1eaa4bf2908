#!/bin/bash
# Ends the service that podman-up.sh started, with its containers, networks and images.
# Usage: podman-down.sh [STATE]
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/packages.sh"
. "$here/daemons.sh"

use_state "${1:-/run/tcab/podman}"
if [[ ! -e $STATE/kind ]]; then
    echo "no podman of ours in $STATE"
    exit 0
fi
podman_here() {
    CONTAINERS_CONF=$STATE/containers.conf podman --root "$STATE/storage" --runroot "$STATE/run" \
        --network-config-dir "$STATE/networks" --tmpdir "$STATE/tmp" "$@"
}
podman_here rm --all --force >/dev/null || true
podman_here network prune --force >/dev/null || true
stop_daemon podman
remove_state podman
echo "podman is down"
