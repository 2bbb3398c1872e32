#!/usr/bin/env bash
# What processes gain and cost, to bench/results/speed/mpi.csv: one process on one and on two threads beside
# two processes on one thread each, taking turns; of each the least of TURNS times counts. Run it while
# nothing else runs, on two processors. Needs a build with MPI and its mpirun.
set -eu
cd "$(dirname "$0")/../.."
scone=$PWD/build/scone
[ -x build/bench/bench_team ] || cmake --build --preset release --target bench_team >/dev/null
turns=${TURNS:-3}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
commit=$(git rev-parse --short HEAD)
out=$box/mpi.csv
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in a container

now() { date +%s.%N; }
# least NAME COMMAND...: keeps the least seconds under that name
declare -A least
least() {
    local name=$1 start seconds
    shift
    start=$(now)
    "$@" >/dev/null 2>&1
    seconds=$(echo "$(now) - $start" | bc)
    if [ -z "${least[$name]:-}" ] || [ "$(echo "$seconds < ${least[$name]}" | bc)" = 1 ]; then least[$name]=$seconds; fi
}
row() { echo "$1,1,$commit,$2,$3" >>"$out"; } # COMMAND METRIC VALUE
ratio() { echo "scale=2; ${least[$1]} / ${least[$2]}" | bc; }

echo "command,seed,commit,metric,value" >"$out"
"$scone" simulate ood-20-20 --count 1 --seed 1 -o "$box/data" -q >/dev/null
"$scone" simulate custom --nodes 4 --edges 4 --samples 100 --seed 1 -o "$box/tiny" -q >/dev/null
tiny=("$scone" discover "$box/tiny/g0" -p ges -b 2 -o "$box/a" -q --threads)
boot=("$scone" discover "$box/data/g0" -p ges -b 2000 -o "$box/b" -q --threads)
many=("$scone" bench ood-20-20 --count 40 --samples 5000 --seed 1 --methods ges -o "$box/c.csv" --force -q --threads)
for _ in $(seq "$turns"); do
    least tiny_1 "${tiny[@]}" 1
    least tiny_ranks mpirun -n 2 "${tiny[@]}" 1
    least boot_1 "${boot[@]}" 1
    least boot_2 "${boot[@]}" 2
    least boot_ranks mpirun -n 2 "${boot[@]}" 1
    least many_1 "${many[@]}" 1
    least many_2 "${many[@]}" 2
    least many_ranks mpirun -n 2 "${many[@]}" 1
done
row "mpirun -n 2 scone discover TINY" start_seconds "$(echo "${least[tiny_ranks]} - ${least[tiny_1]}" | bc)"
row "scone discover -p ges -b 2000 --threads 1" one_process_seconds "${least[boot_1]}"
row "scone discover -p ges -b 2000 --threads 2" times_faster_2_threads "$(ratio boot_1 boot_2)"
row "mpirun -n 2 scone discover -p ges -b 2000 --threads 1" times_faster_2_processes "$(ratio boot_1 boot_ranks)"
row "scone bench ood-20-20 --count 40 --samples 5000 --threads 1" one_process_seconds "${least[many_1]}"
row "scone bench ood-20-20 --count 40 --samples 5000 --threads 2" times_faster_2_threads "$(ratio many_1 many_2)"
row "mpirun -n 2 scone bench ood-20-20 --count 40 --samples 5000 --threads 1" times_faster_2_processes "$(ratio many_1 many_ranks)"
for items in 2 200; do
    # shellcheck disable=SC2046
    set -- $(mpirun -n 2 build/bench/bench_team $items 64 20000)
    row "mpirun -n 2 bench_team $items 64 20000" shared_loop_median_microseconds "$1"
done
cp "$out" bench/results/speed/mpi.csv
cat bench/results/speed/mpi.csv
