#!/usr/bin/env bash
# Where the errors of the search come from, by kind of node, on tuning seeds: bench/results/search/errors.csv.
#
#     bench/accuracy/errors.sh [SEED] [GRAPHS]
set -eu
cd "$(dirname "$0")/../.."
cmake --build --preset release --target bench_errors >/dev/null
seed=${1:-501}
graphs=${2:-12}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
files=()
for setting in ood-20-20 indist-20-20 ood-20-20-additive ood-20-40 wild-20-20 train-20-20; do
    build/bench/bench_errors "$setting" "$graphs" "$seed" >"$box/$setting.csv"
    files+=("$setting=$box/$setting.csv")
done
{
    echo "# bench/accuracy/errors.sh $seed $graphs; commit $(git rev-parse --short HEAD)"
    python3 bench/accuracy/errors.py "${files[@]}"
} | tee bench/results/search/errors.csv
