#!/usr/bin/env bash
# Installs the Debian packages that a group of commands needs, if any is missing.
# Usage: tools/deps.sh build|test|bench ...
set -eu

packages() {
    case "$1" in
    build) echo gcc libc6-dev cmake ninja-build pkg-config libopenblas-dev liblapacke-dev \
        librandom123-dev libxxhash-dev libcjson-dev zlib1g-dev libopenmpi-dev openmpi-bin ;;
    test) echo libcmocka-dev clang libclang-rt-dev libomp-dev git python3 ;;
    view) echo graphviz ;;
    bench) echo python3 python3-venv ;;
    format) echo clang-format ;;
    *) echo "tools/deps.sh: unknown group '$1'" >&2; exit 2 ;;
    esac
}

wanted=""
for group in "$@"; do wanted="$wanted $(packages "$group")"; done

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Not Debian: the build itself tells whether something is missing.
    echo "This is not a Debian system. Please install the equivalents of:$wanted" >&2
    echo "(set SCONE_SKIP_DEPS=1 to silence this once they are there)" >&2
    [ -n "${SCONE_SKIP_DEPS:-}" ] && exit 0
    command -v cmake >/dev/null 2>&1 && exit 0
    exit 1
fi
[ -n "${SCONE_SKIP_DEPS:-}" ] && exit 0

missing=""
for package in $wanted; do
    state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    case "$state" in
    *"ok installed") ;;
    *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1; then
    as_root="sudo"
else
    echo "These packages are missing and neither root nor sudo is at hand; ask for:" >&2
    echo "  apt-get install$missing" >&2
    exit 1
fi
echo "Installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q >&2
# shellcheck disable=SC2086
$as_root apt-get install -y -q --no-install-recommends $missing >&2
