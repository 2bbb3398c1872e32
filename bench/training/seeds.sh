#!/usr/bin/env bash
# How far the ablations of the trained model depend on the seed of the training: paper, paper-nb and paper-nc trained with three
# seeds as docs/manual/train.md has it, each on the same graphs. The first are the weights of models/, whose results are those of
# bench/training/presets.sh. A training takes some 25 minutes on one core; those that are in FOLDER/SEED/PRESET.safetensors are not made
# again. Results: bench/results/seeds_*.csv, one row per graph, preset and seed of the training; the means and their spread are printed.
#
#     bench/training/seeds.sh FOLDER [SCONE]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?give a folder for the weights}
scone=${2:-build/scone}
presets="paper paper-nb paper-nc"

for s in 2 3; do
    mkdir -p "$folder/$s"
    for p in $presets; do
        [ -f "$folder/$s/$p.safetensors" ] || "$scone" train --preset "$p" --setting train-ood --nodes 10..30 --samples-min 100 \
            --graphs 1600 --validation 80 --epochs 8 --every 400 --threshold 0.2 --seed "$s" -o "$folder/$s/$p.safetensors" \
            --tokens "$folder" --resume
    done
done
run() { # SETTING COUNT
    for s in 2 3; do
        "$scone" bench "$1" --count "$2" --seed 70000 --methods "${presets// /,}" --model "$folder/$s" \
            -o "bench/results/seeds_$1_$s.csv" --resume --quiet
    done
    python3 bench/training/seeds.py "$1" "bench/results/presets_$1.csv" bench/results/seeds_"$1"_[23].csv
}
run ood-20-40 30
run ood-50-50 10
