#!/usr/bin/env bash
# How long `discover` takes and how it grows, to bench/results/speed/speed.csv: in seconds and in units of a product of two
# 1,024 x 1,024 matrices on as many threads, taken in the same run. Run it while nothing else runs.
#
#     bench/speed/speed.sh [SEED]
set -eu
cd "$(dirname "$0")/../.."
cmake --build --preset release --target bench_speed >/dev/null
seed=${1:-71}
out=bench/results/speed/speed.csv
commit=$(git rev-parse --short HEAD)
row() { build/bench/bench_speed "$@" | sed "s/\$/,$commit/" | tee -a "$out.new"; } # SETTING EFFORT THREADS ROWS GRAPHS

echo "setting,effort,threads,rows,graphs,seed,seconds,product_seconds,ratio,peak_mb,f1,commit" | tee "$out.new"
for effort in normal fast thorough; do row ood-20-20 "$effort" 2 10000 6 "$seed"; done
row ood-50-50 normal 2 10000 3 "$seed"
for threads in 2 1; do row ood-100-100 normal "$threads" 10000 1 "$seed"; done
row wild-20-20 normal 2 10000 4 "$seed"
row train-20-20 normal 2 10000 4 "$seed"
for rows in 1000 3000 30000 100000; do row ood-20-20 normal 2 "$rows" 3 "$seed"; done # growth with n
for nodes in 100 200 500 1000; do row "ood-$nodes-$nodes" fast 2 5000 1 "$seed"; done # and with N
for nodes in 200; do row "ood-$nodes-$nodes" normal 2 5000 1 "$seed"; done
mv "$out.new" "$out"
