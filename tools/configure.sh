#!/usr/bin/env bash
# Configures one preset, silent unless it fails. Usage: tools/configure.sh PRESET [CMAKE OPTION]...
set -eu
preset=$1
shift
if ! text=$(cmake --preset "$preset" "$@" 2>&1); then
    printf '%s\n' "$text" >&2
    exit 1
fi
