#!/usr/bin/env bash
# Usage errors: exit code 2, one exact line on stderr, nothing on stdout, nothing written.
. "$(dirname "$0")/lib.sh"

# usage ARGS... with the expected message on standard input
usage() {
    run "$@"
    code_is 2
    out_empty
    err_is
}

usage simulat <<'E'
scone: error: unknown command 'simulat'; did you mean 'simulate'? (see scone help)
E
usage frobnicate <<'E'
scone: error: unknown command 'frobnicate' (see scone help)
E
usage --quiet <<'E'
scone: error: unknown option '--quiet'; the command comes first, as in scone check OBS INT (see scone help)
E
usage help a b <<'E'
scone: error: help: give one command, not several (see scone help --help)
E
usage help chek <<'E'
scone: error: unknown command 'chek'; did you mean 'check'? (see scone help)
E

usage simulate <<'E'
scone: error: simulate: give a SETTING (scone simulate --list), or --nodes and --edges (see scone simulate --help)
E
usage simulate --nodes 5 -o new <<'E'
scone: error: simulate: give a SETTING (scone simulate --list), or --nodes and --edges (see scone simulate --help)
E
usage simulate custom --edges 5 -o new <<'E'
scone: error: simulate: give a SETTING (scone simulate --list), or --nodes and --edges (see scone simulate --help)
E
usage simulate ood-20-20 <<'E'
scone: error: simulate: give the folder to write with -o DIR (see scone simulate --help)
E
usage simulate ood-20-20 ood-20-30 -o new <<'E'
scone: error: simulate: it takes one SETTING, not several (see scone simulate --help)
E
usage simulate ood-20-20 --list <<'E'
scone: error: simulate: --list takes no SETTING (see scone simulate --help)
E
usage simulate ood-20-20 -o <<'E'
scone: error: simulate: --output needs a value (DIR) (see scone simulate --help)
E
usage simulate ood-20-20 --output= <<'E'
scone: error: simulate: --output: the value is empty (see scone simulate --help)
E
usage simulate ood-20-20 --ouput new <<'E'
scone: error: simulate: unknown option '--ouput'; did you mean '--output'? (see scone simulate --help)
E
usage simulate ood-20-20 --sample=5 -o new <<'E'
scone: error: simulate: unknown option '--sample'; did you mean '--samples'? (see scone simulate --help)
E
usage simulate ood-20-20 --frobnicate -o new <<'E'
scone: error: simulate: unknown option '--frobnicate' (see scone simulate --help)
E
usage simulate ood-20-20 -x -o new <<'E'
scone: error: simulate: unknown option '-x' (see scone simulate --help)
E
usage simulate ood-20-20 --force=yes -o new <<'E'
scone: error: simulate: --force takes no value (see scone simulate --help)
E
usage simulate '' -o new <<'E'
scone: error: simulate: argument 1 is empty (see scone simulate --help)
E
usage simulate ood-20-20 --mechanisms linear,cubic -o new <<'E'
scone: error: simulate: --mechanisms: 'cubic' is not one of linear, polynomial, sigmoid, nn, nn_add (see scone simulate --help)
E
usage simulate ood-20-20 --mechanisms linear, -o new <<'E'
scone: error: simulate: --mechanisms: '' is not one of linear, polynomial, sigmoid, nn, nn_add (see scone simulate --help)
E
usage simulate wild-20-20 --noise additive -o new <<'E'
scone: error: simulate: wild-20-20 has its own mechanisms and noise; leave --mechanisms and --noise out (see scone simulate --help)
E
usage simulate ood-20-20 --noise loud -o new <<'E'
scone: error: simulate: --noise: 'loud' is not one of mixed, additive, multiplicative (see scone simulate --help)
E
usage simulate ood-20-20 --format xml -o new <<'E'
scone: error: simulate: --format: 'xml' is not one of csv, dcdi (see scone simulate --help)
E

# Numbers are read strictly.
for bad in 0 -5 1.5 ten 1e3 0x10 ' 5' '5 ' 5, '' 99999999999999999999 1000000001; do
    run simulate ood-20-20 --samples="$bad" -o new
    code_is 2
    err_is <<E
scone: error: simulate: --samples: '$bad' is not a whole number from 1 to 1000000000 (see scone simulate --help)
E
done
for bad in 1.1 -0.1 half nan inf 0x1 '' '0.4 ' 1e400; do
    run simulate ood-20-20 --p-target="$bad" -o new
    code_is 2
    err_is <<E
scone: error: simulate: --p-target: '$bad' is not a number from 0 to 1 (see scone simulate --help)
E
done
for bad in 1 5.5 5..3 5..1000000 .. 5.. ..5 5..6..7 five; do
    run simulate --nodes "$bad" --edges 5 -o new
    code_is 2
    err_is <<E
scone: error: simulate: --nodes: '$bad' is not a whole number or a range A..B from 2 to 100000 (see scone simulate --help)
E
done
for bad in -1 1.5 18446744073709551616 x; do
    run simulate ood-20-20 --seed="$bad" -o new
    code_is 2
    err_is <<E
scone: error: simulate: --seed: '$bad' is not a whole number from 0 to 18446744073709551615 (see scone simulate --help)
E
done
for bad in 0 1025 many; do
    run simulate ood-20-20 --threads "$bad" -o new
    code_is 2
    err_is <<E
scone: error: simulate: --threads: '$bad' is not a whole number from 1 to 1024 (see scone simulate --help)
E
done

printf 'a,b\n1,2\n' >table.csv
usage check <<'E'
scone: error: check: it takes two tables OBS INT, one table with --regime, or a folder (see scone check --help)
E
run check a b c # a control and two conditions
refused 3 "a: cannot open: No such file or directory"
usage check table.csv <<'E'
scone: error: check: 'table.csv' is one table; add the second, or --regime COLUMN if it holds both regimes (see scone check --help)
E
usage check table.csv table.csv --regime a <<'E'
scone: error: check: --regime goes with one table, not with two (see scone check --help)
E
usage check table.csv table.csv --index 1 <<'E'
scone: error: check: --index goes with a folder (see scone check --help)
E
usage check table.csv table.csv --na ignore <<'E'
scone: error: check: --na: 'ignore' is not one of keep, drop, error (see scone check --help)
E
run check table.csv 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
refused 3 "2: cannot open: No such file or directory"

usage eval <<'E'
scone: error: eval: it takes two graphs or folders, PREDICTED and TRUE (see scone eval --help)
E
usage eval one <<'E'
scone: error: eval: it takes two graphs or folders, PREDICTED and TRUE (see scone eval --help)
E
usage eval a b --prob x <<'E'
scone: error: eval: unknown option '--prob'; did you mean '--probabilities'? (see scone eval --help)
E
usage eval a b -p <<'E'
scone: error: eval: --probabilities needs a value (FILE) (see scone eval --help)
E

usage model <<'E'
scone: error: model: it takes one weights FILE, or --preset NAME (see scone model --help)
E
usage model a b <<'E'
scone: error: model: it takes one weights FILE, or --preset NAME (see scone model --help)
E
usage model a --preset paper <<'E'
scone: error: model: it takes one weights FILE, or --preset NAME (see scone model --help)
E

# A very long word is neither echoed whole nor a problem.
long=$(printf 'x%.0s' $(seq 5000))
run simulate "--$long"
code_is 2
yes "a long option is cut" test "$(wc -c <"$box/err")" -lt 300
run "$long"
code_is 2
yes "a long command is cut" test "$(wc -c <"$box/err")" -lt 300

# All spellings of an option mean the same, and -- ends the options.
run simulate --nodes 3 --edges 2 --samples 5 --seed 9 -o one -q
code_is 0
run simulate --nodes=3 --edges=2 -s5 --seed=9 --output=two --quiet
code_is 0
run simulate -q -n3 -e 2 -s 5 --seed 9 -o three
code_is 0
run simulate -q -n3 -e 2 -s 5 --seed 9 --output ./-four
code_is 0
is "same data" "$(digest two)" "$(digest one)"
is "same data" "$(digest three)" "$(digest one)"
is "same data" "$(digest ./-four)" "$(digest one)"
run check -q -- -four/g0/obs.csv one/g0/int.csv
yes "-- lets a name start with a dash" test "$code" -le 1
is "nothing else was written" "$(entries .)" "-four one table.csv three two "
finish
