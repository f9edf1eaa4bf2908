#!/bin/bash
# Bootstraps a Debian root file system for the run images to build from, where no image registry
# answers: as root on Debian, from the archives that this machine's own apt reads.
# Usage: base-image.sh OUT.tar
# It trusts the certificates that this machine trusts, and carries this machine's Node where that
# is 20 or later (with npm), Debian's else.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/packages.sh"
export PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt
PACKAGES=ca-certificates,git,procps

[[ $# == 1 ]] || die "base-image.sh needs one argument" "base-image.sh OUT.tar"
[[ $(id -u) == 0 ]] || die "base-image.sh was not run as root" "run it as root, or set TCAB_BASE_IMAGE to a Debian image"
[[ -e /etc/debian_version ]] || die "this machine is no Debian to bootstrap one from" "set TCAB_BASE_IMAGE to a Debian image"

# sources CODENAME: its archives as this machine's apt knows them.
sources() {
    local uri release keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
    [[ ! -e $keyring ]] || signed="[signed-by=$keyring] "
    # shellcheck disable=SC2016  # apt's own placeholders
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
        while read -r uri release component; do
            case $release/$component in
            "$1"/main | "$1-updates"/main | "$1-security"/main) echo "deb $signed$uri $release main" ;;
            esac
        done
}

NODE='' NPM=''
if NODE=$(node -p 'parseInt(process.versions.node) >= 20 ? process.execPath : ""' 2>/dev/null) && [[ -n $NODE ]] &&
    NPM=$(realpath "$(command -v npm)") && NPM=${NPM%/bin/*} && [[ -e $NPM/bin/npm-cli.js ]]; then
    :
else
    NODE='' NPM=''
    PACKAGES+=,nodejs,npm
fi

# Runs with the new root as $1.
# shellcheck disable=SC2016
FILL_ROOT='
    set -e
    mkdir -p "$1/usr/local/share/ca-certificates"
    find /usr/local/share/ca-certificates -name "*.crt" -exec cp -t "$1/usr/local/share/ca-certificates" {} +
    cp "$CA_BUNDLE" "$1$CA_BUNDLE"
    if [ -n "$NODE" ]; then
        mkdir -p "$1/usr/local/lib/node_modules"
        install -m 755 "$NODE" "$1/usr/local/bin/node"
        cp -a "$NPM" "$1/usr/local/lib/node_modules/npm"
        ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
        ln -s ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/local/bin/npx"
        chroot "$1" sh -c "node --version && npm --version"
    fi'

apt_install mmdebstrap ca-certificates
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
log=$(mktemp)
trap 'rm -f "$log" "$1.partial"' EXIT
export NODE NPM CA_BUNDLE
echo "bootstrapping Debian $codename (Node from ${NODE:-Debian})"
mkdir -p "$(dirname "$1")"
sources "$codename" |
    mmdebstrap --mode=root --variant=minbase --format=tar --include="$PACKAGES" \
        --aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --customize-hook="$FILL_ROOT" "$codename" "$1.partial" - >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "Debian $codename could not be bootstrapped" "mend what it says above"
}
mv "$1.partial" "$1"
