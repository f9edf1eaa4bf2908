#!/bin/bash
# What the test suite drives besides the container engine: a browser for the pages that tcab
# serves, Node for the comparison with handlebars.js, and Podman as the second engine.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. scripts/packages.sh

command -v chromium >/dev/null || apt_install chromium
command -v npm >/dev/null || apt_install nodejs npm
command -v podman >/dev/null || apt_install podman runc netavark
