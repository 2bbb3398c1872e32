#!/usr/bin/env bash
# Accuracy of the presets with trained weights, on graphs that nothing was tuned on. Goes on where it was stopped; graphs are
# run again if the weights are others. Results: bench/results/paper/presets_*.csv and correction/presets_best-*.csv, one row
# per graph and method; those of other seeds than 70000 have the seed in their name.
#
#     bench/training/presets.sh [SCONE] [MODELS] [SEED] [paper | best]
set -eu
cd "$(dirname "$0")/../.."
scone=${1:-build/scone}
models=${2:-models}
seed=${3:-70000}
part=${4:-all}
end=
[ "$seed" = 70000 ] || end=_$seed

run() { # NAME COUNT METHODS SETTING...
    local name=$1 count=$2 methods=$3
    shift 3
    local out=bench/results/paper
    case $name in best-*) out=bench/results/correction ;; esac
    echo "# $name: scone bench $* --count $count --seed $seed --methods $methods"
    "$scone" bench "$@" --count "$count" --seed "$seed" --methods "$methods" -o "$out/presets_$name$end.csv" --resume --quiet
}
has() { # PRESET: is it wanted, and are there weights?
    case $1 in "$part"*) ;; *) [ "$part" = all ] || return 1 ;; esac
    [ -f "$models/$1.safetensors" ]
}
list() { # METHOD...: those that have weights, with commas
    local text=
    for m in "$@"; do if has "$m"; then text=$text${text:+,}$m; fi; done
    echo "$text"
}

paper=$(list paper paper-nb paper-nc)
if [ -n "$paper" ]; then
    for edges in 20 30 40; do run "ood-20-$edges" 30 "$paper" "ood-20-$edges" --model "$models"; done
    run additive 30 "$paper" ood-20-20 --noise additive --model "$models"
    run ood-50-50 10 "$paper" ood-50-50 --model "$models"
    run ood-100-100 10 "$paper" ood-100-100 --model "$models"
    run train-20-20 30 "$paper" custom -n 20 -e 20 -m linear,nn,nn_add --model "$models"
fi
if has paper; then run identities-fast 30 paper ood-20-20 --effort fast --model "$models"; fi # one assignment of names to identities, not sixteen
if has paper-indist; then run indist-20-20 30 paper indist-20-20 --model "$models/paper-indist.safetensors"; fi
if has best-ood; then
    run best-ood-20-20 30 search,best-ood ood-20-20 --model "$models"
    run best-ood-rows-1000 30 search,best-ood ood-20-20 -s 1000 --model "$models"
    run best-ood-50-50 30 search,best-ood ood-50-50 --model "$models"
    run best-ood-20-30 30 search,best-ood ood-20-30 --model "$models"
    run best-ood-20-40 30 search,best-ood ood-20-40 --model "$models"
fi
if has best; then
    run best-wild-20-20 30 search,best wild-20-20 --model "$models"
    run best-wild-20-20-1000 30 search,best wild-20-20 -s 1000 --model "$models"
    run best-default-20-20 30 search,best ood-20-20 --model "$models" # which the default has to do, too
    run best-default-20-20-1000 30 search,best ood-20-20 -s 1000 --model "$models"
    run best-train-20-20 30 search,best custom -n 20 -e 20 -m linear,nn,nn_add --model "$models"
    for columns in 50 100 200 400; do
        run "best-columns-$columns" 5 search,best custom -n "$columns" -e "$columns" -m linear,polynomial,sigmoid,nn_add -s 500 --effort fast \
            --model "$models"
    done
    run best-train-20-40 10 search,best custom -n 20 -e 40 -m linear,nn,nn_add --model "$models" # one to three minutes a graph
fi
if has best-ood; then run best-ood-100-100 30 search,best-ood ood-100-100 --model "$models"; fi # some minutes a graph
