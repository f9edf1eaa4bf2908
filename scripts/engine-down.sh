#!/bin/bash
# Ends the engine that engine-up.sh started, with its containers, networks and images.
# Usage: engine-down.sh [STATE]
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/packages.sh"
. "$here/daemons.sh"
export PATH=$PATH:/usr/sbin:/sbin

use_state "${1:-${TCAB_ENGINE_STATE:-/run/tcab/engine}}"

# Deletes Docker's rules, then its chains, of one table.
drop_rules() {
    local saved
    saved=$(iptables-save -t "$1")
    {
        echo "*$1"
        sed -nE '/^-A [A-Z]+ .*(DOCKER|docker0|br-[0-9a-f]{12}|tcab[0-9a-f]{10})/s/^-A /-D /p' <<<"$saved"
        sed -nE 's/^:(DOCKER[^ ]*) .*/-F \1/p' <<<"$saved"
        sed -nE 's/^:(DOCKER[^ ]*) .*/-X \1/p' <<<"$saved"
        echo COMMIT
    } | iptables-restore --noflush || echo "some iptables rules of table $1 stay behind" >&2
}

restore_machine() {
    drop_rules filter
    drop_rules nat
    [[ ! -s $STATE/forward-policy ]] || iptables -P FORWARD "$(cat "$STATE/forward-policy")"
    [[ ! -s $STATE/ip-forward ]] || cat "$STATE/ip-forward" >/proc/sys/net/ipv4/ip_forward
    ip link delete docker0 2>/dev/null || true
}

if [[ ! -e $STATE/kind ]]; then
    echo "no engine of ours in $STATE"
    exit 0
fi
export DOCKER_HOST=unix://$STATE/docker.sock
if answers "$STATE/docker.sock"; then
    docker ps -aq | xargs -r docker rm -fv >/dev/null
    docker network prune -f >/dev/null
fi
stop_daemon dockerd
restore_machine
remove_state engine
echo "the engine is down"
