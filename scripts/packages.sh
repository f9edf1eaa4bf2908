# shellcheck shell=bash
# How the scripts fail, and how they get system packages; sourced, never run.

die() {
    printf 'error: %s\n   = help: %s\n' "$1" "$2" >&2
    exit 3
}

# apt_install PACKAGE...: those that are missing, as root on Debian or Ubuntu; else says what to do.
apt_install() {
    local package missing=()
    for package; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        die "this machine lacks ${missing[*]}" "install it: sudo apt-get install ${missing[*]}"
    fi
    echo "installing ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { apt-get update -q &&
        DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        die "apt-get could not install ${missing[*]}" "mend what it says above"
    fi
    rm -f "$log"
}
