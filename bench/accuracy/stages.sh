#!/usr/bin/env bash
# How many edges each of the three aggregates directs and how many of these are right, for each local learner
# (docs/methods/reasons.md): ood-20-20 and the same size with the families of training, 10,000 rows. Writes
# bench/results/rules/stages.csv, one line a graph and learner. One thread, seed 91000.
# Usage: bench/accuracy/stages.sh [GRAPHS]
set -eu
cd "$(dirname "$0")/../.."
cmake --build build --target bench_stages >/dev/null
graphs=${1:-10} out=bench/results/rules/stages.csv
{
    echo "# command: bench/accuracy/stages.sh $graphs"
    echo "# commit: $(git rev-parse --short HEAD)"
    build/bench/bench_stages ood-20-20 "$graphs" 91000 polybic:ges:search paper
    build/bench/bench_stages train-20-20 "$graphs" 91000 polybic:ges:search paper | tail -n +2
} >"$out"
