#!/bin/bash
# One whole run of a real case, from nothing: engine, images, catalog, a session played back from
# a recording, validation in a browser, and the score. Points that fail are its subject.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

scripts/ensure-engine.sh
.venv/bin/tcab catalog ingest
.venv/bin/tcab run pong --variant base --harness replay --model flawed
cat <<'EOF'

Look at it in the Dagster UI:   make dev
Ask the warehouse:              .venv/bin/tcab query "SELECT run_id, state, score_auto FROM runs"
EOF
