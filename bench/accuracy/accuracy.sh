#!/usr/bin/env bash
# Accuracy of all methods on every setting, on seeds that nothing was tuned on. Goes on where it was
# stopped. Results: bench/results/accuracy/accuracy_*.csv (one row per graph and method) and accuracy.txt (the tables).
#
#     bench/accuracy/accuracy.sh [SCONE] [SEED]
set -eu
cd "$(dirname "$0")/../.."
scone=${1:-build/scone}
seed=${2:-60000}
out=bench/results/accuracy
mkdir -p "$out"
all=search,empty,variance,r2,kurtosis

run() { # NAME COUNT METHODS SETTING...
    local name=$1 count=$2 methods=$3
    shift 3
    echo "# $name: scone bench $* --count $count --seed $seed --methods $methods"
    "$scone" bench "$@" --count "$count" --seed "$seed" --methods "$methods" -o "$out/accuracy_$name.csv" \
        --resume --quiet
}

{
    run ood-20-20 30 "$all" ood-20-20
    run indist-20-20 30 "$all" indist-20-20
    run additive 30 "$all" ood-20-20 --noise additive
    run ood-20-30 30 "$all" ood-20-30
    run wild-20-20 30 "$all" wild-20-20
    run train-20-20 30 "$all" custom -n 20 -e 20 -m linear,nn,nn_add
    run ood-50-50 10 "$all" ood-50-50
    run ood-100-100 10 "$all" ood-100-100
    for rows in 500 1000 2000 5000; do run "rows-$rows" 10 search,kurtosis ood-20-20 -s "$rows"; done
    run targets-none 10 search,kurtosis ood-20-20 --p-target 0
    run targets-all 10 search,kurtosis ood-20-20 --p-target 1
    run linear 10 "$all" custom -n 20 -e 20 -m linear
    for method in ges polybic; do run "$method" 10 "$method" ood-20-20; done
    for effort in fast thorough; do run "$effort" 10 search ood-20-20 --effort "$effort"; done
    run ood-20-40 30 "$all" ood-20-40
    run rows-50000 4 search,kurtosis ood-20-20 -s 50000
    run wild-50-50 10 "$all" wild-50-50
    run wild-20-40 "${WILD:-30}" "$all" wild-20-40
    run train-20-40 "${DENSE:-30}" "$all" custom -n 20 -e 40 -m linear,nn,nn_add
} | tee "$out/accuracy.txt.new"
mv "$out/accuracy.txt.new" "$out/accuracy.txt"
