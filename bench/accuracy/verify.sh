#!/usr/bin/env bash
# `scone verify` for every number of nodes up to MOST (default 6) and every family of subsets, as one CSV. With 6 nodes
# some two minutes on one core.
#
#     bench/accuracy/verify.sh [SCONE] [MOST] >bench/results/theory/verify.csv
set -eu
scone=${1:-build/scone}
most=${2:-6}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head=1
for nodes in $(seq 3 "$most"); do
    for size in $(seq 2 "$nodes") all; do
        "$scone" verify --nodes "$nodes" --subset-size "$size" -o "$work/table.csv" --quiet >/dev/null
        tail -n +$head "$work/table.csv"
        head=2
    done
done
