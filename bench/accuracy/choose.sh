#!/usr/bin/env bash
# How far short and wide tables can be trusted: the default and `ges` on 8 columns with 30 to 1,000 rows, the search and
# `ges` on 60 columns with 40 rows.
# Results: bench/results/small/choose_*.csv, one row per graph and method; docs/manual/choose.md has their means.
#
#     bench/accuracy/choose.sh [SCONE] [SEED]
set -eu
cd "$(dirname "$0")/../.."
scone=${1:-build/scone}
seed=${2:-70000}

run() { # NAME COLUMNS ROWS COUNT METHODS OPTION...
    local out=bench/results/small/choose_$1.csv columns=$2 rows=$3 count=$4 methods=$5
    shift 5
    "$scone" bench custom --nodes "$columns" --edges "$columns" --samples "$rows" --count "$count" --seed "$seed" \
        --methods "$methods" "$@" -o "$out" --resume --quiet >/dev/null
}
for rows in 30 50 100 200 300 1000; do
    run "$rows" 8 "$rows" 40 best,ges --model models
done
run wide 60 40 5 search,ges
