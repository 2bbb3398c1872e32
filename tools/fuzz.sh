#!/usr/bin/env bash
# Runs every libFuzzer target in FOLDER for SECONDS each, starting from its committed corpus.
# New finds stay in FOLDER; a crash stops the run and names the input to keep as a fixture.
# Usage: tools/fuzz.sh FOLDER SECONDS
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(cd "$1" && pwd)
seconds=$2
passed=0
failed=0
for target in "$folder"/tests/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=$(basename "$target")
    finds="$folder/finds/$name"
    mkdir -p "$finds"
    # Limits of the promise: 1 s and 512 MB an input.
    if "$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=512 \
        -artifact_prefix="$folder/crash-$name-" -print_final_stats=1 \
        "$finds" "$root/tests/fuzz/corpus/${name#fuzz_}" >"$folder/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$folder/$name.log")
        echo "fuzz $name: ${runs:-0} inputs, no defect"
        passed=$((passed + 1))
    else
        tail -n 40 "$folder/$name.log"
        echo "fuzz $name: FAILED, see $folder/$name.log and $folder/crash-$name-*"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
