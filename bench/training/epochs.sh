#!/usr/bin/env bash
# How long to train best: 5, 8, 15 and 40 epochs with two seeds, on tuning seeds of six kinds of tables. Trainings and token files that are
# in FOLDER are not made again (tokens: some 20 minutes on two cores for the trainings, 6 for the tables). Results: bench/results/correction/epochs.csv,
# a row per kind of tables and training.
#
#     bench/training/epochs.sh FOLDER [SCONE]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?give a folder for weights and tokens}
scone=${2:-build/scone}
out=bench/results/correction/epochs.csv
mkdir -p "$folder"
cmake --build --preset release --target bench_trainings >/dev/null

weights=
for epochs in 5 8 15 40; do
    for seed in 1 2; do
        file=$folder/epochs$epochs-seed$seed.safetensors
        [ -f "$file" ] || "$scone" train --preset best --setting train-ood --mechanisms linear,polynomial,sigmoid,nn,nn_add --nodes 4..14 \
            --edges-per-node 1..1.5 --samples 8000 --samples-min 100 --graphs 640 --validation 80 --epochs "$epochs" --every 80 --threshold 0.5 \
            --stream --seed "$seed" -o "$file" --tokens "$folder" --resume --quiet
        weights="$weights $file"
    done
done
{
    echo "# bench/training/epochs.sh FOLDER; commit $(git rev-parse --short=12 HEAD)"
    echo "setting,rows,graphs,weights,shd_at_0.4,shd_at_0.5,shd_at_0.6,difference,error"
    for case in "ood-20-20 24 500 10000" "ood-20-20 40 500 1000" "ood-8-8 60 630 400" "wild-20-20 40 500 1000" "wild-20-20 30 520 500" "train-8-8 60 630 400"; do
        build/bench/bench_trainings $case "$folder" $weights
    done
} >"$out.part"
mv "$out.part" "$out"
