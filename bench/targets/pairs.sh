#!/usr/bin/env bash
# How often certificates are right with one control and several conditions (docs/methods/reasons.md): pairs of the control
# with each condition, with and without the correction for their number, beside two tables and all conditions pooled.
# Starts from the class of the true graph, so that the errors are those of rules and tests alone. Writes
# bench/results/rules/pairs.csv. One thread, seeds 500 and 501.
# Usage: bench/targets/pairs.sh [GRAPHS]
set -eu
cd "$(dirname "$0")/../.."
cmake --build build --target bench_pairs >/dev/null
graphs=${1:-30} bench=build/bench/bench_pairs out=bench/results/rules/pairs.csv
export OMP_NUM_THREADS=1
{
    echo "# command: bench/targets/pairs.sh $graphs"
    echo "# commit: $(git rev-parse --short HEAD)"
    $bench linear "$graphs" 500 5 1000 class two,pairs,uncorrected,pooled
    $bench linear "$graphs" 501 10 1000 class two,pairs,uncorrected,pooled | tail -n +2
} >"$out.new"
mv "$out.new" "$out"
