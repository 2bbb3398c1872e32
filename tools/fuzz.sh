#!/usr/bin/env bash
# Runs every libFuzzer target in FOLDER for SECONDS each, as many at once as there are processors, starting from its
# committed corpus. New finds stay in FOLDER; a crash fails the run and names the input to keep as a fixture.
# Usage: tools/fuzz.sh FOLDER SECONDS [TARGET]: one target alone
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(cd "$1" && pwd)
seconds=$2

one() { # TARGET
    local name finds runs
    name=$(basename "$1")
    finds="$folder/finds/$name"
    mkdir -p "$finds"
    # Limits of the promise: 1 s and 512 MB an input.
    if "$1" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=512 \
        -artifact_prefix="$folder/crash-$name-" -print_final_stats=1 \
        "$finds" "$root/tests/fuzz/corpus/${name#fuzz_}" >"$folder/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$folder/$name.log")
        echo "fuzz $name: ${runs:-0} inputs, no defect"
    else
        tail -n 40 "$folder/$name.log"
        echo "fuzz $name: FAILED, see $folder/$name.log and $folder/crash-$name-*"
        return 1
    fi
}

if [ $# -gt 2 ]; then
    one "$3"
    exit
fi
targets=()
for target in "$folder"/tests/fuzz_*; do
    if [ -x "$target" ] && [ -f "$target" ]; then targets+=("$target"); fi
done
if [ ${#targets[@]} -eq 0 ]; then
    echo "there are no fuzz targets in $folder/tests"
    exit 1
fi
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$(nproc)" bash "$0" "$folder" "$seconds"
echo "${#targets[@]} targets, no defect"
