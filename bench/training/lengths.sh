#!/usr/bin/env bash
# How long should the presets of the paper be trained? Trains `paper` and `paper-nc` on 1,600 graphs for 8 epochs and on 6,400
# for 4 (FOLDER/LENGTH/NAME.safetensors; those that are there are not made again), and measures them on graphs for tuning.
# Results: bench/results/training/lengths_SETTING.csv, and lengths.csv, which says whose weights a row has.
#
#     bench/training/lengths.sh FOLDER [BUILD]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?give a folder for the weights}
build=${2:-build}
out=bench/results/training
echo "length,name,model" >"$out/lengths.csv.new"

for length in 1600x8 6400x4; do # graphs x epochs
    mkdir -p "$folder/$length"
    for name in paper paper-nc; do
        file=$folder/$length/$name.safetensors
        [ -f "$file" ] || "$build/scone" train --preset $name --setting train-ood --nodes 10..30 --samples-min 100 \
            --graphs ${length%x*} --epochs ${length#*x} --validation 80 --every 400 --threshold 0.2 --seed 1 -o "$file" \
            --tokens "$folder" --resume
        id=$(head -c 400 "$file" | grep -ao '"header_xxh64":"[0-9a-f]*"' | cut -d'"' -f4)
        echo "$length,$name,$id" >>"$out/lengths.csv.new"
        for c in ood-20-20:30 ood-20-40:30 ood-50-50:10; do # setting:graphs
            "$build/scone" bench "${c%:*}" --count "${c#*:}" --seed 700 --methods $name --model "$file" --quiet --resume \
                -o "$out/lengths_${c%:*}.csv" >/dev/null
        done
    done
done
mv "$out/lengths.csv.new" "$out/lengths.csv"
