#!/usr/bin/env bash
# How far the ablations of the trained model depend on the seed of the training: paper, paper-nb and paper-nc trained with three
# seeds as docs/training.md has it but for a fifth of the steps, each on the same graphs. Trainings take some 5 minutes each on one core; those that are in
# FOLDER/SEED/PRESET.safetensors are not made again. Results: bench/results/seeds_*.csv, one row per graph, preset and seed of
# the training; the means and their spread are printed.
#
#     bench/seeds.sh FOLDER [SCONE] [SEED OF THE GRAPHS]
set -eu
cd "$(dirname "$0")/.."
folder=${1:?give a folder for the weights}
scone=${2:-build/scone}
seed=${3:-70000}
presets="paper paper-nb paper-nc"

for s in 1 2 3; do
    mkdir -p "$folder/$s"
    for p in $presets; do
        [ -f "$folder/$s/$p.safetensors" ] || "$scone" train --preset "$p" --setting train-ood --nodes 10..30 --samples-min 100 \
            --graphs 1600 --validation 80 --steps 300 --every 300 --threshold 0.2 --seed "$s" -o "$folder/$s/$p.safetensors" \
            --tokens "$folder" --resume
    done
done
run() { # SETTING COUNT
    for s in 1 2 3; do
        "$scone" bench "$1" --count "$2" --seed "$seed" --methods "${presets// /,}" --model "$folder/$s" \
            -o "bench/results/seeds_$1_$s.csv" --resume --quiet
    done
    python3 bench/seeds.py "$1" bench/results/seeds_"$1"_[123].csv
}
run ood-20-40 15
run ood-50-50 6
