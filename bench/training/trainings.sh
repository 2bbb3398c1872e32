#!/usr/bin/env bash
# Trains `paper`, its ablations `paper-nb` and `paper-nc`, and `paper` without each bias head (no-ssi, no-cvt, no-dpt), with
# several seeds, as docs/notebook/weights.md has it. A training takes some ten minutes to half an hour on one core; those in
# FOLDER/SEED/NAME.safetensors are not made again, and one that was stopped goes on. Seed 1 of `paper`, `paper-nb` and
# `paper-nc` are the weights of models/. `make tables TRAINED=FOLDER` measures them.
#
#     bench/training/trainings.sh FOLDER [BUILD] [SEEDS] [NAMES]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?give a folder for the weights}
build=${2:-build}
seeds=${3:-1 2 3}
names=${4:-paper paper-nb paper-nc no-ssi no-cvt no-dpt}

train() { # NAME SEED
    local preset=$1 config=()
    case $1 in no-*) preset=paper config=(--config "head_${1#no-}=false") ;; esac
    mkdir -p "$folder/$2"
    [ -f "$folder/$2/$1.safetensors" ] ||
        "$build/scone" train --preset "$preset" "${config[@]}" --setting train-ood --nodes 10..30 --samples-min 100 --graphs 6400 \
            --validation 80 --epochs 4 --every 400 --threshold 0.2 --seed "$2" -o "$folder/$2/$1.safetensors" --tokens "$folder" \
            --threads "${THREADS:-0}" --resume
}

for s in $seeds; do
    for n in $names; do train "$n" "$s"; done
done
