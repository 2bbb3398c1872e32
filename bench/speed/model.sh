#!/usr/bin/env bash
# A training step of the model by operation, to bench/results/speed/model.csv, and beside the same model in PyTorch, dense with
# masks and packed, to bench/results/speed/model_torch.csv. Every PyTorch run first shows that it is the same model: same weights
# and batch, and the same logits, loss terms and gradients; else this fails. Run it while nothing else runs; about half an hour,
# 16 GB of memory.
#
#     bench/speed/model.sh [CASE...]
#
# CASE as in bench/speed/model_cases.h; all of them unless some are named, and the results then have these alone. PyTorch comes
# from $PYTHON if that has it, else from a virtual environment in out/torch-env, which is made if it is not there (several
# GB). Nothing else needs PyTorch.
set -eu
cd "$(dirname "$0")/../.."
cmake --build --preset release --target bench_model bench_model_export >/dev/null
python=${PYTHON:-out/torch-env/bin/python}
if ! "$python" -c 'import torch, safetensors' 2>/dev/null; then
    python=out/torch-env/bin/python
    [ -x "$python" ] || python3 -m venv out/torch-env
    out/torch-env/bin/pip install -q -r bench/peers/requirements.txt
fi
[ $# -gt 0 ] || set -- train-20-8 ring-20-8 train-100-1 ring-100-1 train-100-8
seed=1 # of model_cases.h
commit=$(git rev-parse --short HEAD)
table=bench/results/speed/model.csv
pairs=bench/results/speed/model_torch.csv
box=$(mktemp -d)
trap 'rm -rf "$box" "$table.new" "$pairs.new"' EXIT
echo "command,seed,commit,case,threads,part,stream,pass,milliseconds,megaflops,gigaflops_per_second,share_of_peak" >"$table.new"
echo "command,seed,commit,case,threads,metric,value" >"$pairs.new"

note() { # COMMAND CASE THREADS METRIC VALUE
    echo "$1,$seed,$commit,$2,$3,$4,$5" >>"$pairs.new"
    printf '%-12s %s threads  %-32s %s\n' "$2" "$3" "$4" "$5"
}
ours() { # CASE THREADS REPEATS: the table, and the sizes and the step in the other file
    local command="bench_model $2 $3 paper $1"
    build/bench/bench_model "$2" "$3" paper "$1" >"$box/table"
    grep "^$1," "$box/table" | sed "s/^/$command,$seed,$commit,/" >>"$table.new"
    [ "$2" = 2 ] && sed -n 's/^# [^:]*: //p' "$box/table" | tr ',' '\n' | while read -r line; do
        note "$command" "$1" "$2" "$(echo "${line% *}" | tr ' ' _)" "${line##* }"
    done
    step=$(awk -F, '$3 == "step" {print $6}' "$box/table")
    note "$command" "$1" "$2" scone_milliseconds "$step"
    note "$command" "$1" "$2" scone_share_of_peak "$(awk -F, '$3 == "step" {print $9}' "$box/table")"
}
theirs() { # CASE THREADS LAYOUT REPEATS ATTENTION
    local command="torch_model.py FILE $3 $2 $4 $5" name=torch_$3
    [ "$5" = fused ] || name=$name"_$5"
    OMP_NUM_THREADS=$2 MKL_NUM_THREADS=$2 "$python" bench/peers/torch_model.py "$box/$1" "$3" "$2" "$4" "$5" >"$box/torch" ||
        { echo "bench/speed/model.sh: $command on $1 failed" >&2 && exit 1; }
    grep '^#' "$box/torch"
    local time && time=$(tail -n 1 "$box/torch")
    note "$command" "$1" "$2" "${name}_milliseconds" "$time"
    note "$command" "$1" "$2" "times_faster_than_$name" "$(awk -v a="$time" -v b="$step" 'BEGIN {printf "%.2f", a / b}')"
}

note "cat /proc/loadavg" "" "" load_average_before "$(cut -d ' ' -f 1 /proc/loadavg)"
note "torch_model.py" "" "" torch_version "$("$python" -c 'import torch; print(torch.__version__)')"
for case in "$@"; do
    build/bench/bench_model_export "$case" "$box/$case"
    for threads in 1 2; do
        case $case in # of batches that take long fewer steps
        *-20-8)
            ours "$case" $threads 15
            theirs "$case" $threads packed 4 fused
            theirs "$case" $threads dense 1 fused
            if [ "$threads$case" = 1train-20-8 ]; then theirs "$case" $threads dense 1 written; fi
            ;;
        ring-100-1)
            ours "$case" $threads 10
            theirs "$case" $threads packed 3 fused
            theirs "$case" $threads dense 1 fused
            ;;
        train-100-1) # dense, the first step is the one that counts: memory of this size is new in every step
            ours "$case" $threads 10
            theirs "$case" $threads packed 3 fused
            theirs "$case" $threads dense 0 fused
            ;;
        *) # too large for the dense layout
            if [ $threads = 1 ]; then continue; fi
            ours "$case" $threads 3
            theirs "$case" $threads packed 1 fused
            ;;
        esac
    done
    rm "$box/$case"
done
mv "$table.new" "$table"
mv "$pairs.new" "$pairs"
