#!/usr/bin/env bash
# What the bias heads of the shipped weights do, on graphs that nothing was tuned on: how well gamma tells changed mechanisms,
# how many cells each head speaks of, how loudly, and what silencing it costs (bench_heads.c). What training without a head
# costs is a table of `make tables TRAINED=FOLDER`. Results: bench/results/paper/heads_SETTING.csv.
#
#     bench/training/heads.sh FOLDER [BUILD]        FOLDER is for tokens
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?give a folder for tokens}
build=${2:-build}
seed=90000
rows=10000

for c in ood-20-20:30 ood-20-40:30 ood-50-50:20; do # setting:graphs
    {
        echo "# bench_heads, seed $seed, commit $(git rev-parse --short=12 HEAD)"
        echo "weights,measure,block,of,value"
        "$build/bench/bench_heads" paper "${c%:*}" "${c#*:}" "$seed" $rows "$folder" models/paper.safetensors
    } >"bench/results/paper/heads_${c%:*}.csv"
done
