#!/usr/bin/env bash
# Line coverage of the library by the tests, per file, lowest first; uses gcov alone.
set -eu
cd "$(dirname "$0")/.."
cmake --preset coverage >/dev/null
cmake --build --preset coverage >/dev/null
find out/coverage -name '*.gcda' -delete
ctest --preset coverage --no-tests=error >out/coverage/ctest.log 2>&1 || { tail -n 40 out/coverage/ctest.log; exit 1; }
cd out/coverage
find . -path '*scone_objects*' -name '*.gcda' -print0 | xargs -0 gcov -n 2>/dev/null |
    awk '/^File/ {gsub(/\x27/, "", $2); file = $2}
         /^Lines executed/ && file ~ /src\/[a-z\/]+\/[a-z0-9_]+\.c$/ {
             split($2, part, /[:%]/); sub(/.*src\//, "src/", file)
             printf "%6.2f%% of %4d lines  %s\n", part[2], $4, file; hit += part[2] * $4 / 100; all += $4}
         /^Lines executed/ {file = ""}
         END {printf "%6.2f%% of %4d lines  the library\n", 100 * hit / all, all}' | sort -n
