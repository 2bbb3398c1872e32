#!/usr/bin/env bash
# Can each public header be included alone, from C99, C17 and C++? And would it be noticed if not? Plants what no
# compiler of each language takes.
set -u
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
if ! command -v clang >/dev/null; then
    echo "no clang"
    exit 77
fi
failed=0
checks=0

compiles() { # FOLDER HEADER LANGUAGE STANDARD
    printf '#include <%s>\n' "$2" |
        clang -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x "$3" -std="$4" -I"$1" - \
            2>"$box/said"
}
for header in scone.h scone_lab.h; do
    for mode in "c c99" "c c17" "c++ c++98" "c++ c++17"; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        compiles include "$header" $mode || { echo "$header as ${mode#* }:"; cat "$box/said"; failed=$((failed + 1)); }
    done
done

finds() { # LINE LANGUAGE STANDARD: a header with this line does not pass
    mkdir -p "$box/planted"
    sed "0,/^#ifdef __cplusplus$/s//$1\n&/" include/scone.h >"$box/planted/scone.h"
    checks=$((checks + 1))
    ! compiles "$box/planted" scone.h "$2" "$3" || { echo "passes as $3: $1"; failed=$((failed + 1)); }
}
finds 'unknown_type wishes(void);' c c17
finds 'struct of_c11 { int a; struct { int b; }; };' c c99
finds 'typedef struct class { int template; } class;' c++ c++17
echo "$checks checks, $failed failed"
[ "$failed" = 0 ]
