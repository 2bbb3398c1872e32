#!/usr/bin/env bash
# simulate -> check -> eval as a user runs them; the same bytes for any number of threads; JSON.
. "$(dirname "$0")/lib.sh"

# ---- simulate ----
run simulate ood-20-20 --count 3 --samples 200 --seed 7 -o sim
code_is 0
out_is <<'E'
Wrote 3 problems of setting ood-20-20 to sim
  nodes 20, expected edges 20, mechanisms polynomial, sigmoid, noise mixed
  200 samples per regime, target probability 0.4, seed 7
Each of sim/g0, g1, ... has obs.csv, int.csv, graph.csv and targets.csv.
E
err_is <<'E'
CLOSING LINE
E
is "folder" "$(entries sim)" "g0 g1 g2 setting.json "
is "problem" "$(entries sim/g1)" "graph.csv int.csv obs.csv targets.csv "
is "rows and a header" "$(wc -l <sim/g2/obs.csv)" 201
is "variables" "$(head -n 1 sim/g0/int.csv | tr , '\n' | wc -l)" 20
is "targets" "$(head -n 1 sim/g0/targets.csv)" "variable,target"
is "edges" "$(head -n 1 sim/g0/graph.csv)" "source,target"

for threads in 1 2 4 7; do
    run simulate ood-20-20 --count 3 --samples 200 --seed 7 -o "threads$threads" --threads $threads --quiet
    code_is 0
    err_empty
    is "bytes with $threads threads" "$(digest threads$threads)" "$(digest sim)"
done
run simulate sim/setting.json -o again -q
code_is 0
is "bytes from setting.json" "$(digest again)" "$(digest sim)"
run simulate ood-20-20 --count 3 --samples 200 --seed 8 -o seed8 -q
yes "another seed, other bytes" test "$(digest seed8)" != "$(digest sim)"
run simulate ood-20-20 --count 1 --samples 200 --seed 7 -o single -q
is "graph 0 does not depend on the count" "$(digest single/g0)" "$(digest sim/g0)"

# A changed distribution does not keep the name.
run simulate ood-20-20 --noise additive --count 1 --samples 10 -o changed -q
out_has "Wrote 1 problem of setting custom to changed"
out_has "changed/g0 has obs.csv, int.csv, graph.csv and targets.csv."
# a training setting stays apart from the test setting of the same seed, also when it is changed
run simulate train-indist --nodes 6 --edges 6 --samples 20 --count 1 --seed 5 -o training
out_has "Wrote 1 problem of setting train-custom to training"
run simulate indist-20-20 --nodes 6 --edges 6 --samples 20 --count 1 --seed 5 -o testing -q
yes "other data" test "$(digest training/g0)" != "$(digest testing/g0)"
run simulate training/setting.json -o retrained -q
code_is 0
is "and the same again from its setting" "$(digest retrained/g0)" "$(digest training/g0)"

# Into an existing folder: an earlier output goes, other files stay.
echo mine >again/notes.txt
run simulate ood-20-20 --count 1 --samples 10 -o again -q
code_is 0
is "g1 and g2 are gone, the notes stay" "$(entries again)" "g0 notes.txt setting.json "
mkdir taken && mkdir taken/g0 && echo precious >taken/g0/obs.csv
run simulate ood-20-20 --count 1 --samples 10 -o taken -q
refused 1 taken
is "nothing was touched" "$(cat taken/g0/obs.csv)" precious
run simulate ood-20-20 --count 1 --samples 10 -o taken -q --force
code_is 0
is "forced" "$(wc -l <taken/g0/obs.csv)" 11

run simulate --nodes 3..6 --edges 2..4 --mechanisms linear,nn_add --p-target 0.5 --samples 9 \
    --count 2 --seed 18446744073709551615 -o custom --json
code_is 0
err_is <<'E'
CLOSING LINE
E
out_is <<'E'
{
	"folder":	"custom",
	"format":	"csv",
	"setting":	"custom",
	"nodes":	[3, 6],
	"edges":	[2, 4],
	"mechanisms":	["linear", "nn_add"],
	"noise":	"mixed",
	"wild":	false,
	"p_target":	0.5,
	"samples":	9,
	"count":	2,
	"seed":	18446744073709551615
}
E

run simulate --list
code_is 0
err_empty
out_has "ood-100-100       100     100      20  polynomial, sigmoid"
out_has "train-ood     10..100  1N..2N     512  linear, nn, nn_add"
run simulate --list --json
code_is 0
out_has '"setting":	"wild-50-50"'

# ---- check ----
run check sim/g0/obs.csv sim/g0/int.csv
code_is 0
out_has "20 columns; 200 rows in regime 0, 200 in regime 1"
cp "$box/out" "$box/checked"
run check sim/g0 -q
code_is 0
err_empty
out_is <"$box/checked"
run check sim
out_is <"$box/checked"
err_is <<'E'
scone: note: sim holds 3 problems; this is number 0, --index chooses another
CLOSING LINE
E
run check sim --index 0 --threads 4 -q
out_is <"$box/checked"
run check sim/g0 --json -q
code_is 0
out_has '"rows":	[200, 200]'
out_has '"columns":	20'
out_has '"ok":	true'
run check sim --index 9
refused 1 "sim/g9 has no obs.csv and int.csv"
gzip -k sim/g0/obs.csv
run check sim/g0/obs.csv.gz sim/g0/int.csv -q
out_is <"$box/checked"
# one table with a regime column
{ sed '1s/$/,arm/;2,$s/$/,control/' sim/g0/obs.csv; sed '1d;s/$/,treated/' sim/g0/int.csv; } >both.csv
run check both.csv --regime arm -q
out_is <"$box/checked"
run check both.csv --regime=arm=control -q
out_is <"$box/checked"

# ---- eval ----
run eval sim sim
code_is 0
out_is <<'E'
graph   SHD  missing  extra  reversed  undir.  prec.  recall     F1  skel. F1  AUPRC  targ. F1
g0        0        0      0         0       0  1.000   1.000  1.000     1.000      -     1.000
g1        0        0      0         0       0  1.000   1.000  1.000     1.000      -     1.000
g2        0        0      0         0       0  1.000   1.000  1.000     1.000      -     1.000
mean   0.00     0.00   0.00      0.00    0.00  1.000   1.000  1.000     1.000      -     1.000
± sd   0.00     0.00   0.00      0.00    0.00  0.000   0.000  0.000     0.000      -     0.000
E
err_is <<'E'
CLOSING LINE
E

# the worked example of docs/reference/scores.md, through several formats
mkdir truth found
printf 'source,target\nA,B\nB,C\nC,D\nD,E\nA,E\n' >truth/graph.csv
printf 'source,target,kind\nA,B,directed\nC,B,directed\nC,D,undirected\nA,E,directed\nB,E,directed\n' >found/edges.csv
printf 'digraph { A -> B; C -> B; C -> D [dir=none]; A -> E; B -> E }\n' >found.dot
printf ',A,B,C,D,E\nA,0,1,0,0,1\nB,0,0,0,0,1\nC,0,1,0,1,0\nD,0,0,1,0,0\nE,0,0,0,0,0\n' >found.csv
cat >"$box/scores" <<'E'
SHD 4: 1 missing, 1 extra, 1 reversed, 1 directed in one only
5 true edges, 5 predicted, 2 right

          precision  recall     F1
directed      0.400   0.400  0.400
skeleton      0.800   0.800  0.800
E
for form in found found/edges.csv found.dot found.csv; do
    run eval $form truth -q
    code_is 0
    err_empty
    out_is <"$box/scores"
done
printf 'variable,target\nA,1\nB,1\nC,0\nD,0\nE,1\n' >found/targets.csv
printf 'variable,target\nA,1\nB,0\nC,0\nD,1\nE,0\n' >truth/targets.csv
printf ',A,B,C,D,E\nA,0,.9,0,0,.8\nB,.1,0,.4,0,.7\nC,0,.6,0,.5,0\nD,0,0,.4,0,.1\nE,0,0,0,0,0\n' >found/probabilities.csv
# ranks: A>B hit, A>E hit, B>E, C>B, C>D hit (3 of 5), B>C hit with D>C (4 of 7), D>E with B>A (5 of 9)
{ cat "$box/scores"; printf 'targets       0.333   0.500  0.400\n\nAUPRC 0.745\n'; } >"$box/more"
run eval found truth -q
out_is <"$box/more"
run eval found.csv truth -p found/probabilities.csv -q
out_has "AUPRC 0.745"
run eval found truth --json -q
code_is 0
out_has '	"shd":	4,'
out_has '	"f1":	0.4,'
out_has '	"target_f1":	0.4,'
out_has '			"name":	"found",'
run eval found.csv truth --json -q
out_has '	"auprc":	null,'
is "undefined scores, and the sd of one case, are null" "$(grep -c null "$box/out")" $((3 * 4 + 18))

# ---- the DCDI layout of the same problems ----
run simulate sim/setting.json --format dcdi -o dcdi -q
code_is 0
out_has "intervention{i}.csv"
is "files of problem 2" "$(cd dcdi && echo *2.*)" "DAG2.npy data2.npy data_interv2.npy intervention2.csv regime2.csv"
run eval sim dcdi -q
code_is 0
out_has "mean   0.00     0.00   0.00      0.00    0.00  1.000   1.000  1.000     1.000      -     1.000"
run check dcdi --index 1 -q
out_is <"$box/checked"
run eval sim/g0/graph.csv dcdi/DAG1.npy -q
out_has "SHD 0:"
finish
