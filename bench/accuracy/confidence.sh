#!/usr/bin/env bash
# Fits the map from score differences to probabilities on tuning graphs (no polynomial, no sigmoid): bench/results/search/confidence.csv.
# Goes on where it was stopped if BOX names a folder to keep.
#
#     [BOX=DIR] bench/accuracy/confidence.sh [SEED] [GRAPHS]
set -eu
cd "$(dirname "$0")/../.."
cmake --build --preset release --target bench_calibration >/dev/null
seed=${1:-301}
graphs=${2:-16}
box=${BOX:-$(mktemp -d)}
mkdir -p "$box"
for setting in wild-20-20 train-20-20; do
    for rows in 1000 10000; do
        file=$box/$setting-$rows.csv
        if [ -s "$file" ]; then continue; fi
        build/bench/bench_calibration "$setting" "$graphs" "$seed" 1 "$rows" >"$file.new"
        mv "$file.new" "$file"
    done
done
{
    echo "# bench/accuracy/confidence.sh $seed $graphs; commit $(git rev-parse --short HEAD)"
    python3 bench/accuracy/confidence.py "$box"/*.csv
} | tee bench/results/search/confidence.csv
[ -n "${BOX:-}" ] || rm -rf "$box"
