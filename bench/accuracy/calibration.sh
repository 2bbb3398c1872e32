#!/usr/bin/env bash
# Are probabilities right as often as they say? On seeds that nothing was fitted to: training families, the second benchmark,
# and out of distribution; and with few rows. To bench/results/search/calibration_*.csv, those of a model to
# bench/results/correction/calibration_best-*.csv.
#
#     bench/accuracy/calibration.sh [SEED] [GRAPHS] [NAMES] (a pattern: best-* for some of them)
set -eu
cd "$(dirname "$0")/../.."
cmake --build --preset release --target bench_calibration >/dev/null
seed=${1:-60000}
graphs=${2:-20}
names=${3:-*}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
run() { # NAME SETTING ROWS [PRESET WEIGHTS]
    # shellcheck disable=SC2254 # a pattern
    case $1 in $names) ;; *) return 0 ;; esac
    local out=bench/results/search
    case $1 in best-*) out=bench/results/correction ;; esac
    build/bench/bench_calibration "$2" "$graphs" "$seed" 1 "${@:3}" >"$box/pairs.csv"
    {
        echo "# bench_calibration $2 $graphs $seed 1 ${*:3}; commit $(git rev-parse --short HEAD)"
        python3 bench/accuracy/calibration.py "$box/pairs.csv"
    } >"$out/calibration_$1.csv"
    echo "$1: $(grep ',total' "$out/calibration_$1.csv" | tr '\n' ' ')"
}
run ood-20-20 ood-20-20 10000
run ood-20-20-1000 ood-20-20 1000
run train-20-20-1000 train-20-20 1000
run wild-20-20-1000 wild-20-20 1000
run ood-20-40 ood-20-40 10000
run wild-20-20 wild-20-20 10000
run train-20-20 train-20-20 10000
run best-ood-20-20 ood-20-20 10000 best-ood models/best-ood.safetensors
run best-ood-20-20-1000 ood-20-20 1000 best-ood models/best-ood.safetensors
run best-wild-20-20-1000 wild-20-20 1000 best models/best.safetensors
