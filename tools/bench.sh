#!/usr/bin/env bash
# All benchmarks of bench/, with the Python packages they compare with in a virtual environment.
# Results go to bench/results/*.csv. Run it while nothing else runs.
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv
    .venv/bin/pip install -q -r bench/requirements.txt
fi
cmake --build --preset release --target bench_csv bench_simulate bench_graph bench_polybic
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
mkdir -p bench/results
.venv/bin/python bench/csv_read.py
.venv/bin/python bench/simulate.py
.venv/bin/python bench/polybic.py
command -v mpirun >/dev/null 2>&1 && bench/mpi.sh
build/bench/bench_graph >bench/results/graph_growth.csv
echo "results are in bench/results/"
