#!/usr/bin/env bash
# Trainings with graphs made before the first step and beside the steps (--stream): seconds until the first validation and until the
# end, token files made anew each time, both ways in turns. To be run while nothing else runs.
#
#     bench/speed/stream.sh [SCONE] [REPEATS] >bench/results/speed/stream.csv
set -eu
cd "$(dirname "$0")/../.."
scone=$(realpath "${1:-build/scone}")
repeats=${2:-3}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

# time_one NAME STREAM REPEAT OPTIONS...: a row
time_one() {
    local name=$1 stream=$2 repeat=$3 first="" begun end
    shift 3
    rm -rf "$box"/*
    begun=$(date +%s.%N)
    while IFS= read -r line; do
        case $line in *"note: step "*) [ -n "$first" ] || first=$(date +%s.%N) ;; esac
    done < <("$scone" train "$@" $stream --seed 1 -o "$box/w.safetensors" 2>&1)
    end=$(date +%s.%N)
    echo "$name,${stream:+1},$repeat,$begun,$first,$end" | awk -F, -v OFS=, '{ printf "%s,%d,%d,%.1f,%.1f\n", $1, $2, $3, $5 - $4, $6 - $4 }'
}

echo "# $(nproc) threads; bench/speed/stream.sh build/scone $repeats; commit $(git rev-parse --short=12 HEAD)"
echo "training,stream,repeat,first_validation_seconds,seconds"
for repeat in $(seq "$repeats"); do
    for stream in "" --stream; do
        time_one paper "$stream" "$repeat" --preset paper --setting train-ood --nodes 10..30 --samples-min 100 --graphs 240 --validation 16 --epochs 1 --every 5
        time_one best-ood "$stream" "$repeat" --preset best-ood --setting train-ood --nodes 4..6 --edges-per-node 1..1.5 --samples 800 --samples-min 400 \
            --graphs 160 --validation 8 --epochs 2 --every 4
    done
done
