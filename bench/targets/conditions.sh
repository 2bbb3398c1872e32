#!/usr/bin/env bash
# One control and several conditions with 1 to 3 targets each, 20 nodes and 30 edges: how many edges and targets the
# search finds. METHODS adds others, as search,best: they see the control and all conditions together.
#     linear5     5 conditions of 1,000 rows, linear with normal noise
#     linear10    10 of 300 rows, the same
#     smooth8     8 of 500 rows, polynomial and sigmoid
# The control has as many rows as a condition; its roots are uniform, as in all settings. Results:
# bench/results/conditions/NAME.csv, one row per graph and method; of another seed than the default NAME_SEED.csv. Goes
# on where it was stopped, and prints the tables.
#
#     bench/targets/conditions.sh [SCONE] [SEED] [GRAPHS] [METHODS]
set -eu
cd "$(dirname "$0")/../.."
scone=${1:-build/scone}
seed=${2:-110000}
graphs=${3:-30}
methods=${4:-search}
out=bench/results/conditions
end=
[ "$seed" = 110000 ] || end=_$seed
mkdir -p "$out"

run() { # NAME CONDITIONS ROWS MECHANISMS
    echo "# $1: scone bench custom -n 20 -e 30 -m $4 --conditions $2 --samples $3 --count $graphs --seed $seed"
    "$scone" bench custom -n 20 -e 30 -m "$4" --conditions "$2" --samples "$3" --condition-targets 1..3 \
        --count "$graphs" --seed "$seed" --methods "$methods" -o "$out/$1$end.csv" --resume --quiet
}

run linear5 5 1000 linear
run linear10 10 300 linear
run smooth8 8 500 polynomial,sigmoid
