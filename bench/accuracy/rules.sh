#!/usr/bin/env bash
# What the orientation rules add and how often they are right (docs/methods/reasons.md): the linear Gaussian
# setting with soft changes, and ood-20-20 with every rule by itself. Writes rules_linear.csv and
# rules_ood.csv to bench/results/rules and a summary, rules.csv. One thread, seeds 42 and 43.
# Usage: bench/accuracy/rules.sh [LINEAR [OOD_CLASS [SEARCHED]]]: graphs of the parts; searches are slow
set -eu
cd "$(dirname "$0")/../.."
cmake --build build --target bench_rules >/dev/null
linear=${1:-100} class=${2:-60} searched=${3:-10} out=bench/results/rules
bench=build/bench/bench_rules
$bench linear "$linear" 42 class,ges none:all >"$out/rules_linear.csv"
$bench linear "$(((searched + 1) / 2))" 42 search none:all | tail -n +2 >>"$out/rules_linear.csv"
$bench ood-20-20 "$class" 43 class none:all >"$out/rules_ood.csv"
$bench ood-20-20 "$searched" 43 search,ges none:all:ssi:cvt:dpt:scr:paper | tail -n +2 >>"$out/rules_ood.csv"
{
    echo "# command: bench/accuracy/rules.sh $linear $class $searched"
    echo "# commit: $(git rev-parse --short HEAD)"
    bench/accuracy/rules_summary.sh "$out"/rules_linear.csv "$out"/rules_ood.csv
} | tee "$out/rules.csv"
