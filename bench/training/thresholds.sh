#!/usr/bin/env bash
# Wrong pairs by the threshold of P(edge), for best, best-ood and the search on tuning seeds: what decided the thresholds of the shipped
# weights (docs/notebook/weights.md). Results: bench/results/correction/thresholds.csv.
#
#     bench/training/thresholds.sh [COUNT] [ROWS]
set -eu
cd "$(dirname "$0")/../.."
count=${1:-40}
rows=${2:-1000}
out=bench/results/correction/thresholds.csv
cmake --build --preset release --target bench_calibration >/dev/null
echo "# bench/training/thresholds.sh $count $rows; seed 500; commit $(git rev-parse --short HEAD)" >"$out.part"
echo "case,graphs,threshold,missing,extra,turned,shd" >>"$out.part"
for setting in wild-20-20 ood-20-20; do
    for preset in search best best-ood; do
        [ "$preset" = search ] && weights= || weights=models/$preset.safetensors
        build/bench/bench_calibration "$setting" "$count" 500 1 "$rows" "$preset" $weights |
            bench/training/thresholds.py "$preset $setting $rows rows" >>"$out.part"
    done
done
mv "$out.part" "$out"
