#!/usr/bin/env bash
# What the orientation rules add and how often they are right (docs/reasons.md): the linear Gaussian
# setting with soft changes, and ood-20-20 with every rule by itself. Writes
# bench/results/rules_linear.csv and rules_ood.csv and prints a summary. One thread.
# Usage: bench/rules.sh [GRAPHS OF linear [GRAPHS OF ood-20-20]]
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target bench_rules >/dev/null
linear=${1:-100} ood=${2:-10} out=bench/results
mkdir -p "$out"
build/bench/bench_rules linear "$linear" 42 class,ges none:all >"$out/rules_linear.csv"
build/bench/bench_rules linear "$ood" 42 search none:all | tail -n +2 >>"$out/rules_linear.csv"
build/bench/bench_rules ood-20-20 "$ood" 43 search,ges none:all:ssi:cvt:dpt:scr:paper >"$out/rules_ood.csv"
bench/rules_summary.sh "$out"/rules_linear.csv "$out"/rules_ood.csv
