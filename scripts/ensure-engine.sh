#!/bin/bash
# A container engine that answers, and the images a run needs, built where missing or out of date.
# An engine that runs is used; as root on Debian, where none does, ours is started.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. scripts/packages.sh

STATE=${TCAB_ENGINE_STATE:-/run/tcab/engine}

if ! .venv/bin/tcab doctor --engine >/dev/null 2>&1; then
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        die "no container engine answers" \
            "start Docker or Podman (its socket in DOCKER_HOST), or run this as root on Debian to have one started"
    fi
    scripts/engine-up.sh "$STATE"
fi
.venv/bin/tcab images build base-wasm validator
