#!/usr/bin/env bash
# What does training without a bias head cost? Measures weights FOLDER/1/NAME.safetensors of bench/training/trainings.sh, `paper`
# trained without one of its heads (no-ssi, no-cvt, no-dpt; those that are there), beside the shipped `paper` on the same
# graphs, that nothing was tuned on. Results: bench/results/training/leftout_SETTING.csv, and leftout.csv, which says whose
# weights a row has.
#
#     bench/training/left_out.sh FOLDER [BUILD]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?give the folder with the weights}
build=${2:-build}
out=bench/results/training
echo "name,model" >"$out/leftout.csv.new"

for name in paper no-ssi no-cvt no-dpt; do
    file=$folder/1/$name.safetensors
    [ $name != paper ] || file=models/paper.safetensors
    [ -f "$file" ] || continue
    echo "$name,$(head -c 400 "$file" | grep -ao '"header_xxh64":"[0-9a-f]*"' | cut -d'"' -f4)" >>"$out/leftout.csv.new"
    for c in ood-20-20:30 ood-20-40:30 ood-50-50:20; do # setting:graphs
        "$build/scone" bench "${c%:*}" --count "${c#*:}" --seed 92000 --methods paper --model "$file" --quiet --resume --threads 1 \
            -o "$out/leftout_${c%:*}.csv" >/dev/null
    done
done
mv "$out/leftout.csv.new" "$out/leftout.csv"
