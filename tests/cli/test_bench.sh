#!/usr/bin/env bash
# scone bench: the table, the file, resuming after a stop, what is refused.
. "$(dirname "$0")/lib.sh"
small="--nodes 6 --edges 6 --samples 200"

run bench custom $small --count 3 --methods empty,ges,kurtosis -o b.csv --seed 2
code_is 0
err_is <<'X'
CLOSING LINE
X
out_has "custom: 6 nodes, 6 edges, polynomial, sigmoid, noise mixed, 200 rows, 3 graphs, seed 2"
is "head" "$(sed -n 2p "$box/out" | tr -s ' ')" "method SHD F1 precision recall skel. F1 targ. F1 seconds"
is "rows of the table" "$(sed -n '3,$p' "$box/out" | cut -d' ' -f1 | tr '\n' ' ')" "empty ges kurtosis "
is "rows of the file" "$(wc -l <b.csv)" 10
is "columns" "$(head -n 1 b.csv | cut -d, -f1-14)" \
    "setting,nodes,edges,mechanisms,noise,p_target,samples,seed,graph,method,effort,bootstrap,max_parents,shd"
is "first row" "$(sed -n 2p b.csv | cut -d, -f1-13)" "custom,6,6,polynomial+sigmoid,mixed,0.4,200,2,0,empty,normal,0,0"
is "order" "$(cut -d, -f9,10 b.csv | tail -n +2 | tr '\n' ' ')" \
    "0,empty 0,ges 0,kurtosis 1,empty 1,ges 1,kurtosis 2,empty 2,ges 2,kurtosis "
# the numbers are those that simulate, discover and eval give
run simulate custom $small --count 3 --seed 2 -o sim -q
run discover sim/g1 --preset ges -o out -q
run eval out sim/g1 --json -q
is "SHD as by hand" "$(grep -m 1 -oE '"shd":	[0-9.]+' "$box/out" | cut -f2)" "$(sed -n 6p b.csv | cut -d, -f14)"

# ---- without the seconds nothing depends on threads ----
plain() { cut -d, -f1-31 "$1"; }
run bench custom $small --count 3 --methods empty,ges,kurtosis -o t.csv --seed 2 --threads 4 -q
is "threads" "$(plain t.csv)" "$(plain b.csv)"

# ---- resume ----
run bench custom $small --count 3 --methods ges -o b.csv --seed 2
refused 1 "b.csv exists; --resume adds what is missing there, --force starts anew"
cp b.csv whole.csv
head -n 6 whole.csv >b.csv # stopped in the middle
sed -i '3s/,[0-9.]*,,\([^,]*,ok,\)$/,12345,,\1/' b.csv
run bench custom $small --count 3 --methods empty,ges,kurtosis -o b.csv --seed 2 --resume -q
code_is 0
is "complete again" "$(plain b.csv)" "$(plain whole.csv)"
is "without doing again what was there" "$(sed -n 3p b.csv | cut -d, -f32)" 12345
# rows of other versions stay, with a warning
sed '3s/[^,]*,ok,$/0123abc,ok,/; 4s/[^,]*,ok,$/,ok,/' whole.csv >b.csv
run bench custom $small --count 3 --methods empty,ges,kurtosis -o b.csv --seed 2 --resume -q
code_is 0
err_has "b.csv: 2 of the rows that are kept are of other versions of scone (the first: 0123abc, this one: "
is "their commits stay" "$(sed -n '3,4p' b.csv | cut -d, -f34 | tr '\n' ' ')" "0123abc  "
cut -d, -f1-33 whole.csv >b.csv # a file of before the commit
run bench custom $small --count 3 --methods empty,ges,kurtosis -o b.csv --seed 2 --resume -q
code_is 0
err_has "b.csv: 9 of the rows that are kept are of other versions of scone (the first: not told, this one: "
run bench custom $small --count 3 --methods ges --seed 2 -o b.csv --resume -q
err_has "b.csv: 3 of the rows that are kept"
cp whole.csv b.csv
run bench custom $small --count 4 --methods ges --seed 3 -o b.csv --resume -q --json
code_is 0
is "other rows join" "$(wc -l <b.csv)" 14
out_has '"method":	"ges"'
out_has '"graphs":	4'
out_has '"seed":	3'
run bench custom $small --count 1 --methods ges --seed 3 -o b.csv --force -q
code_is 0
is "anew" "$(wc -l <b.csv)" 2
out_has "1 graph, seed 3"
printf 'a,b\n1,2\n' >other.csv
run bench custom $small --methods ges -o other.csv --resume
refused 1 "other.csv: this is not the table of a benchmark"
is "untouched" "$(cat other.csv)" "$(printf 'a,b\n1,2')"

# ---- settings ----
run bench indist-20-20 wild-20-20 --count 1 --samples 100 --methods empty -q
code_is 0
out_has "indist-20-20: 20 nodes, 20 edges, polynomial, noise mixed, 100 rows, 1 graph, seed 0"
out_has "wild-20-20: 20 nodes, 20 edges, wild, 100 rows, 1 graph, seed 0"
run bench ood-20-20 --count 1 --samples 100 --noise additive --methods empty -q
out_has "ood-20-20: 20 nodes, 20 edges, polynomial, sigmoid, noise additive, 100 rows"

# ---- refused ----
run bench
refused 2 "bench: give at least one SETTING"
run bench custom
refused 2 "the setting custom needs --nodes and --edges"
run bench ood-20-21
refused 1 "there is no setting 'ood-20-21'"
run bench ood-20-20 --methods ges,magic --count 1
refused 1 "there is no method 'magic'; use some of search, ges, polybic, paper, paper-nb, paper-nc, best, best-ood, empty"
run bench ood-20-20 --methods ges,
refused 2 "--methods: give names with commas"
run bench ood-20-20 --resume
refused 2 "--resume goes with -o FILE.csv"
run bench ood-20-20 --resume --force -o x.csv
refused 2 "give --resume or --force, not both"
run bench wild-20-20 --noise additive
refused 2 "wild-20-20 has its own mechanisms and noise"
finish
