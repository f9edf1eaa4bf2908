#!/bin/bash
# Makes .venv with hash-locked dependencies and this project in it. Safe to call again.
# As root on Debian or Ubuntu, system packages that are missing are installed.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

. scripts/packages.sh

# The newest Python of 3.11 to 3.13 on PATH.
find_python() {
    local candidate
    for candidate in python3.13 python3.12 python3.11 python3; do
        if command -v "$candidate" >/dev/null &&
            "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    die "no Python from 3.11 to 3.13 is on PATH" "install one, such as Debian 12's: sudo apt-get install python3 python3-venv"
}

make_venv() {
    local python=$1
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        apt_install "python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"
    rm -rf .venv
    "$python" -m venv .venv
    sed -n '/^uv==/,/[^\\]$/p' requirements.lock >.venv/uv.lock.txt
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r .venv/uv.lock.txt
}

sync() {
    # The system's certificates: a company's own authority is trusted as everywhere else.
    export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-1} UV_PYTHON_DOWNLOADS=never UV_HTTP_TIMEOUT=120
    .venv/bin/uv pip sync -q --python .venv/bin/python --require-hashes requirements.lock
    .venv/bin/uv pip install -q --python .venv/bin/python --no-deps --no-build-isolation -e .
}

command -v git >/dev/null || apt_install git

stamp="$(cat requirements.lock pyproject.toml "$0" | sha256sum) $PWD"
if [[ -x .venv/bin/tcab && $(cat .venv/stamp 2>/dev/null) == "$stamp" ]]; then
    exit 0
fi
if ! { [[ -x .venv/bin/uv ]] && .venv/bin/python -c '' 2>/dev/null; }; then
    python=$(find_python)
    make_venv "$python"
fi
sync
echo "$stamp" >.venv/stamp
echo "ready: .venv/bin/tcab"
