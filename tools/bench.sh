#!/usr/bin/env bash
# All benchmarks of bench/, with the Python packages they compare with in a virtual environment.
# Results go to bench/results/. Run it while nothing else runs.
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv
    .venv/bin/pip install -q -r bench/peers/requirements.txt
fi
cmake --build --preset release --target bench_csv bench_simulate bench_graph bench_polybic \
    bench_ges bench_ges_options bench_check bench_table bench_sampler bench_sampler_options \
    bench_invariance bench_invariance_power bench_verify bench_nn bench_model \
    bench_weights bench_model_export
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
.venv/bin/python bench/speed/csv_read.py
.venv/bin/python bench/speed/simulate.py
.venv/bin/python bench/speed/polybic.py
.venv/bin/python bench/speed/weights.py
command -v mpirun >/dev/null 2>&1 && bench/speed/mpi.sh

# FILE COMMAND...: a result is replaced when the new one is complete.
keep() {
    local file=bench/results/$1
    shift
    "$@" >"$file.new"
    mv "$file.new" "$file"
}
keep speed/graph_growth.csv build/bench/bench_graph
keep speed/ges_growth.csv build/bench/bench_ges 1
keep learners/ges_options.csv build/bench/bench_ges_options 100
keep speed/sampler_growth.csv build/bench/bench_sampler 1
keep learners/sampler_options.csv build/bench/bench_sampler_options 1
keep speed/check.csv build/bench/bench_check
keep speed/nn.csv build/bench/bench_nn 1 50
PYTHON=.venv/bin/python bench/speed/model.sh
keep rules/invariance_power.csv build/bench/bench_invariance_power 500
keep rules/invariance_time.csv build/bench/bench_invariance time
# by hand, 25 minutes: for n in 200 1000 5000: build/bench/bench_invariance level n 2000 1
keep theory/verify_rate.csv build/bench/bench_verify
keep theory/verify.csv bench/accuracy/verify.sh build/scone
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
keep speed/table.txt build/bench/bench_table "$folder"
echo "results are in bench/results/"
