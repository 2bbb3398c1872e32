#!/usr/bin/env bash
# Small tables: the default beside the search on 8 columns and edges with 300 to 1,000 rows, four kinds of data, and on
# 20 columns with 500.
# Results: bench/results/small/small_*.csv, one row per graph and method; tools/notebook.py has their means and paired
# differences.
#
#     bench/accuracy/small.sh [SCONE] [SEED]
set -eu
cd "$(dirname "$0")/../.."
scone=${1:-build/scone}
seed=${2:-70000}
end=
[ "$seed" = 70000 ] || end=_$seed

run() { # NAME ROWS COUNT SETTING...
    local out=bench/results/small/small_$1_$2$end.csv rows=$2 count=$3
    shift 3
    "$scone" bench "$@" --samples "$rows" --count "$count" --seed "$seed" --methods search,best --model models -o "$out" --resume --quiet >/dev/null
}
for rows in 300 500 1000; do
    run wild "$rows" 40 wild-20-20 --nodes 8 --edges 8
    run train "$rows" 40 custom --nodes 8 --edges 8 --mechanisms linear,nn,nn_add
    run all "$rows" 40 custom --nodes 8 --edges 8 --mechanisms linear,polynomial,sigmoid,nn,nn_add
    run ood "$rows" 40 ood-20-20 --nodes 8 --edges 8
done
run wild20 500 20 wild-20-20
run ood20 500 20 ood-20-20
