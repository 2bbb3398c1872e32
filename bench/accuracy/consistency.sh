#!/usr/bin/env bash
# `scone verify --data` for 4 and 5 nodes, linear-Gaussian and non-linear: consistency_points.csv,
# consistency_coverage.csv and one consistency_*.svg each in FOLDER. Six minutes or so on one core.
#
#     bench/accuracy/consistency.sh [SCONE] [FOLDER]
set -eu
scone=${1:-build/scone}
folder=${2:-bench/results/theory}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head=1
: >"$work/points"
: >"$work/coverage"
for nodes in 4 5; do
    count=$((nodes == 4 ? 60 : 30))
    for kind in linear nonlinear; do
        mechanisms=linear
        [ $kind = linear ] || mechanisms=polynomial,sigmoid,nn_add
        "$scone" verify --data --nodes $nodes --count $count --mechanisms $mechanisms --seed 11 \
            --rows 250,1000,4000,16000 --subsets 1,2,3,4,6,8,12,16,24 --threads 1 -o "$work/out" --quiet >/dev/null
        tail -n +$head "$work/out/consistency.csv" >>"$work/points"
        tail -n +$head "$work/out/coverage.csv" >>"$work/coverage"
        cp "$work/out/consistency.svg" "$folder/consistency_${kind}_$nodes.svg"
        head=2
    done
done
cp "$work/points" "$folder/consistency_points.csv"
cp "$work/coverage" "$folder/consistency_coverage.csv"
