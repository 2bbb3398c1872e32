#!/usr/bin/env bash
# Simulated graphs with several conditions on their whole way: simulate, discover, eval and bench; the same bytes for
# any number of threads and of conditions; resuming; what is refused.
. "$(dirname "$0")/lib.sh"
small="--nodes 7 --edges 8"

# ---- simulate ----
run simulate custom $small --conditions 3 --samples 300 --control-samples 500 --count 2 --seed 4 -o three
code_is 0
out_is <<'X'
Wrote 2 problems of setting custom to three
  nodes 7, expected edges 8, mechanisms polynomial, sigmoid, noise mixed
  3 conditions of 300 rows with 1..3 targets each, control of 500 rows, seed 4
Each of three/g0, g1, ... has obs.csv, c1.csv to c3.csv, graph.csv and targets.csv.
X
is "files" "$(entries three/g0)" "c1.csv c2.csv c3.csv graph.csv obs.csv targets.csv "
is "head of the targets" "$(head -n 1 three/g0/targets.csv)" "condition,variable"
is "conditions of the targets" "$(tail -n +2 three/g0/targets.csv | cut -d, -f1 | uniq | tr '\n' ' ')" "c1 c2 c3 "
yes "1 to 3 targets each" test -z "$(tail -n +2 three/g0/targets.csv | cut -d, -f1 | uniq -c | awk '$1 > 3')"
is "rows" "$(wc -l <three/g0/obs.csv) $(wc -l <three/g0/c1.csv)" "501 301"
for threads in 1 2; do
    run simulate custom $small --conditions 3 --samples 300 --control-samples 500 --count 2 --seed 4 \
        -o threads$threads --threads $threads -q
    is "threads" "$(digest threads$threads)" "$(digest three)"
done
run simulate three/setting.json -o again -q
is "from its own setting" "$(digest again)" "$(digest three)"
run simulate custom $small --conditions 10 --samples 300 --control-samples 500 --seed 4 -o ten -q --json
code_is 0
out_has '"conditions":	10'
for file in obs c1 c2 c3 graph; do yes "$file of ten" cmp -s three/g0/$file.csv ten/g0/$file.csv; done
is "targets of ten" "$(grep -E '^c[123],' ten/g0/targets.csv)" "$(grep -E '^c[123],' three/g0/targets.csv)"
run simulate wild-20-20 --conditions 2 --condition-targets 4 --samples 50 --count 1 --threads 2 -o wild -q
is "targets asked for" "$(tail -n +2 wild/g0/targets.csv | cut -d, -f1 | uniq -c | tr -s ' ' | tr '\n' ';')" " 4 c1; 4 c2;"
run simulate wild-20-20 --conditions 2 --condition-targets 4 --samples 50 --count 1 --threads 1 -o wild1 -q
is "threads, wild" "$(digest wild1)" "$(digest wild)"
is "another distribution has another name" "$(grep -o '"name":	"[a-z0-9-]*"' wild/setting.json)" '"name":	"custom"'
# one condition is what it always was
run simulate custom $small --samples 30 --seed 4 -o plain -q
run simulate custom $small --samples 30 --seed 4 --conditions 1 --control-samples 30 -o one -q
for file in obs int graph targets; do yes "one condition: $file" cmp -s plain/g0/$file.csv one/g0/$file.csv; done
run simulate custom $small --samples 30 --seed 4 --conditions 1 -o one -q
is "one condition" "$(digest one)" "$(digest plain)"
run simulate three/setting.json --conditions 1 --samples 30 --count 1 -o three -q
is "files of fewer conditions" "$(entries three/g0)" "graph.csv int.csv obs.csv targets.csv "
run simulate custom $small --conditions 3 --samples 5 --control-samples 6 --format dcdi -o dcdi -q
is "regimes" "$(uniq -c dcdi/regime1.csv | tr -s ' ' | tr '\n' ';')" " 6 0; 5 1; 5 2; 5 3;"
is "no targets in the control" "$(head -n 6 dcdi/intervention1.csv | tr -d '\n')" ""

# ---- discover and eval ----
cp -r again sim
run discover sim --index 1 -o found -p search -q
code_is 0
is "conditions found" "$(cut -d, -f1 found/targets.csv | uniq | tr '\n' ' ')" "condition c1 c2 c3 "
run discover sim/g1/obs.csv sim/g1/c1.csv sim/g1/c2.csv sim/g1/c3.csv -o named -p search -q
for file in edges targets probabilities; do yes "by name: $file" cmp -s found/$file.csv named/$file.csv; done
run discover sim -o first -p search
code_is 0
err_has "note: sim holds 2 problems; this is number 0, --index chooses another"
run discover sim/g0 -o inner -p search -q
yes "inside the folder" cmp -s first/targets.csv inner/targets.csv
run eval found sim/g1 --json
code_is 0
f1=$(grep -m 1 -oE '"target_f1":	[0-9.]+' "$box/out" | cut -f2)
is "target F1 by hand" "$(awk -F, -v f1="$f1" 'NR == FNR { if (FNR > 1) truth[$1 "," $2] = 1; next }
    FNR > 1 && $3 == 1 { said++; hits += ($1 "," $2) in truth }
    END { d = 2 * hits / (said + length(truth)) - f1; print (d < 1e-9 && d > -1e-9 && hits > 0) ? "same" : d }' \
    sim/g1/targets.csv found/targets.csv)" same
run eval found found -q
code_is 0
run discover sim/g1/obs.csv sim/g1/c1.csv -o pair -p search -q
run eval pair sim/g1
code_is 0
err_has "note: in 1 of 1 comparisons one side alone tells conditions apart"

# ---- what eval refuses ----
truth() { # TEXT
    rm -rf truth
    mkdir truth
    cp sim/g1/graph.csv truth
    printf '%b' "$1" >truth/targets.csv
}
truth 'condition,variable\nc1,X1\nc2,X1\nc33,X1\n'
run eval found truth
refused 1 "found/targets.csv has the condition 'c3', which truth/targets.csv lacks; did you mean 'c33' instead of 'c3'?"
truth 'condition,variable\nc1,X1\nc2,X1\nc3,X1\nunknown,X1\n'
run eval found truth
refused 1 "truth/targets.csv has the condition 'unknown', which found/targets.csv lacks"
truth 'condition,variable\nc1,X1\nc2,X1\nc1,X1\n'
run eval found truth
refused 1 "truth/targets.csv: row 4: 'X1' is there twice for the condition 'c1'; leave one of the rows out"
truth 'condition,variable\nc1,X1\n,X1\n'
run eval found truth
refused 1 "truth/targets.csv: row 3, column 'condition': the cell is empty"
truth 'condition,variable\nc1,Y\nc2,X1\nc3,X1\n'
run eval found truth
refused 1 "truth/targets.csv has 'Y'"

# ---- bench ----
plain() { cut -d, -f1-31,37-40 "$1"; }
more="--conditions 3 --samples 300 --control-samples 500 --seed 4"
run bench custom $small $more --count 2 --methods search,ges,empty -o b.csv
code_is 0
out_has "custom: 7 nodes, 8 edges, polynomial, sigmoid, noise mixed, 3 conditions of 300 rows with 1..3 targets each, control of 500 rows, 2 graphs, seed 4"
is "last columns" "$(head -n 1 b.csv | cut -d, -f36-)" "reason,conditions,condition_targets,control_samples,sees"
is "what methods see" "$(tail -n +2 b.csv | cut -d, -f10,37-40 | head -n 3 | tr '\n' ' ')" \
    "search,3,1..3,500,conditions ges,3,1..3,500,pooled empty,3,1..3,500,pooled "
is "target F1 as by hand" "$(sed -n 5p b.csv | cut -d, -f31)" "$f1"
is "no targets of two tables" "$(sed -n 6p b.csv | cut -d, -f29-31)" ",,"
run bench custom $small $more --count 2 --methods search,ges,empty -o t.csv --threads 2 -q
is "threads" "$(plain t.csv)" "$(plain b.csv)"
cp b.csv whole.csv
head -n 4 whole.csv | sed '2s/,[0-9.]*,,\([^,]*,ok,,3\)/,12345,,\1/' >b.csv # stopped
run bench custom $small $more --count 2 --methods search,ges,empty -o b.csv --resume -q
code_is 0
is "complete again" "$(plain b.csv)" "$(plain whole.csv)"
is "without doing again what was there" "$(sed -n 2p b.csv | cut -d, -f32)" 12345
run bench custom $small --samples 100 --count 1 --methods empty -o b.csv --resume -q
is "rows of one condition join" "$(tail -n 1 b.csv | cut -d, -f8-10,36-40)" "0,0,empty,,,,,"
is "all of them" "$(wc -l <b.csv)" 8
cp b.csv before.csv
run bench custom $small --samples 100 --count 1 --methods empty -o b.csv --resume -q
is "and are known again" "$(cat b.csv)" "$(cat before.csv)"
cut -d, -f1-39 b.csv >cut.csv
run bench custom $small $more --count 2 --methods empty -o cut.csv --resume
refused 1 "cut.csv: this is not the table of a benchmark"
# a command gets the pooled tables and each condition
cat >peer.sh <<'X'
ls "$1" | tr '\n' ' ' >"$OUT"
wc -l <"$1/int.csv" >>"$OUT"
echo source,target,kind >"$2/edges.csv"
X
OUT=$PWD/seen run bench custom $small $more --count 1 --method peer='sh peer.sh' -o p.csv -q
code_is 0
is "what a command gets" "$(cat seen)" "c1.csv c2.csv c3.csv int.csv obs.csv 901"
is "its row" "$(sed -n 2p p.csv | cut -d, -f40)" both

# ---- refused ----
run simulate custom $small --conditions 0 -o no
refused 2 "--conditions"
run simulate custom $small --conditions 1001 -o no
refused 2 "--conditions"
run simulate custom $small --conditions 2 --condition-targets 3..2 -o no
refused 2 "--condition-targets"
run simulate custom $small --conditions 2 --condition-targets 0 -o no
refused 2 "--condition-targets: at least one must be possible"
run simulate custom $small --condition-targets 2 -o no
refused 2 "--condition-targets goes with --conditions 2 or more"
run simulate custom $small --conditions 2 --p-target 0.5 -o no
refused 2 "--p-target goes with one condition; give --condition-targets"
run simulate custom $small --conditions 1000 --samples 1000000 -o no
refused 1 "--samples 1000000 with --nodes 7 and --conditions 1000 makes more than 1000000000 cells"
sed 's/"count"/"conditions": 1001, "count"/' plain/setting.json >wrong.json
run simulate ./wrong.json -o no
refused 1 "wrong.json: --conditions must be between 1 and 1000, not 1001"
run bench custom $small --conditions 3 --control-samples 1 --methods empty
refused 1 "the setting custom has 1 row of the control; use --control-samples 2 or more"
mkdir broken
cp sim/g0/obs.csv broken
run discover broken -o no
refused 1 "broken: the folder has neither obs.csv and int.csv"
printf 'X0,X1\n1,2\n' >broken/c1.csv
run discover broken -o no
refused 1 "broken/c1.csv lacks 'X2'"
run discover sim --index 7 -o no
refused 1 "sim/g7 has no obs.csv and int.csv"
run discover sim/g0/obs.csv sim/g0/c1.csv sim/g0/c2.csv --index 1 -o no
refused 2 "--index goes with a folder"
yes "nothing was written" test ! -e no
rm -f seen
finish
