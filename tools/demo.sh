#!/usr/bin/env bash
# The first run: makes a small two-regime problem with a known truth, examines the two tables, finds
# the graph, compares it with the truth and says where to look. Usage: tools/demo.sh SCONE FOLDER
set -eu
scone=$1
folder=$2

say() { printf '\n%s\n' "$*"; }
run() {
    printf '\n$ scone %s\n' "$*"
    "$scone" "$@"
}

say "1. Two tables with a known truth: ten variables, and some mechanisms change in the second table."
run simulate custom --nodes 10 --edges 12 --mechanisms polynomial,sigmoid --samples 3000 --seed 7 -o "$folder" --force

say "2. Are the tables fit for causal discovery?"
run check "$folder/g0/obs.csv" "$folder/g0/int.csv"

say "3. What causes what, and what changed?"
run discover "$folder/g0/obs.csv" "$folder/g0/int.csv" -o "$folder/result" --force

say "4. Here the truth is known, so the answer can be scored:"
run eval "$folder/result" "$folder/g0"

say "Open $folder/result/report.html in a browser. Beside it:"
printf '  %-32s %s\n' \
    "$folder/result/edges.csv" "the edges, with how likely each direction is" \
    "$folder/result/targets.csv" "which variables' mechanisms changed, with p-values" \
    "$folder/g0/graph.csv" "the true causes: source,target" \
    "$folder/g0/targets.csv" "the true changes"
say "Why each arrow points where it does, with the tests behind it: $scone explain $folder/result"
