#!/usr/bin/env bash
# What comes out of a control and several conditions: certificates by pair, explain and its check, sizes
# side by side, the page, warnings by condition, strange names; the same bytes in every way.
. "$(dirname "$0")/lib.sh"

# a -> b -> c; condition `one` has another a -> b, `two` another b -> c
rows() { # NAME SEED COUNT
    awk -v name="$1" -v seed="$2" -v count="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            a = 4 * rand() - 2 + (name == "all" ? 3 * rand() : 0)
            b = (name == "one" || name == "all" ? -1.5 : 1) * a + rand() + rand() - 1
            c = (name == "two" || name == "all" ? 2.5 : 1) * b + rand() + rand() - 1
            printf "%s,%.9f,%.9f,%.9f\n", name, a, b, c
        }
    }'
}
{
    rows control 1 1500
    rows one 2 1200
    rows two 3 1100
    rows three 4 1000
} >rows
{ echo group,a,b,c && cat rows; } >long.csv
for name in control one two three; do
    { echo a,b,c && grep "^$name," rows | cut -d, -f2-; } >$name.csv
done
{ echo a,b,c && rows all 5 900 | cut -d, -f2-; } >all.csv
everything="edges.csv probabilities.csv targets.csv sizes.csv graph.json graph.dot graph.graphml report.html"

# ---- what is written and said ----
run discover control.csv one.csv two.csv three.csv -o out --quiet
code_is 0
out_has "3 variables, 1500 rows of the control and 3300 of 3 conditions: 2 edges"
out_has "Mechanisms are found to have changed in 2 of 3 conditions (false discovery rate 0.05):"
yes "the leading target of a condition" grep -qE '^  one +1  b \([0-9.]+\)$' "$box/out"
is "the files" "$(entries out)" \
    "edges.csv graph.dot graph.graphml graph.json probabilities.csv report.html run.json sizes.csv targets.csv "
is "head of sizes.csv" "$(head -n 1 out/sizes.csv)" "variable,one,three,two"
is "sizes are those of targets.csv" \
    "$(awk -F, 'NR == 1 { for (k = 2; k <= NF; k++) name[k] = $k; next }
        { for (k = 2; k <= NF; k++) print name[k] "," $1 "," $k }' out/sizes.csv | sort)" \
    "$(awk -F, 'NR > 1 { print $1 "," $2 "," $4 }' out/targets.csv | sort)"
is "farthest first in each condition" "$(cut -d, -f1,2,4 out/targets.csv | tail -n +2)" \
    "$(cut -d, -f1,2,4 out/targets.csv | tail -n +2 | sort -t, -k1,1 -k3,3gr)"
yes "every size is called by the control's own movement" \
    bash -c '! tail -n +2 out/targets.csv | grep -vE "blocks of the control|from block to block|not enough evidence|as its causes moved"'
yes "a certificate names its pair" \
    grep -q '"rule": "ssi-any", "pair": \["control", "one"\], "source": "a", "target": "b"' out/graph.json
yes "and the tests, too" grep -q '"test": 1, "pair": \["control", "' out/graph.json
yes "edges.csv names the condition" grep -q 'SSI in one: b changed, a did not' out/edges.csv
yes "all pairs" grep -qF '"pairs": [["control", "one"], ["control", "three"], ["control", "two"]]' out/graph.json
yes "graph.json has targets by condition" grep -qF '{"condition": "three", "rows": 1000, "targets": [' out/graph.json
yes "the share of wrong ones is promised" grep -q 'about 5.0% of the changes that are marked' out/report.html
yes "a changed mechanism is marked by more than colour" \
    grep -qE '<tr><th>b</th><td class="v t">[0-9.]+ &#9679;</td><td class="v">' out/report.html
yes "what changed in each condition" grep -q '<tr><td>two</td><td>c</td>' out/report.html
yes "in how many conditions" grep -q '<title>b (changed in 1 of 3 conditions)</title>' out/report.html
yes "where nothing changed" grep -q 'No mechanism is found to have changed in three\.' out/report.html

# ---- in words ----
run explain out a b -q
code_is 0
out_has "Single-sided invariance (control and one): b changed"
run explain out b -q
code_is 0
out_has "Its mechanism is found to have changed in 1 of 3 conditions (false discovery rate 0.05)."
out_has "  In one, by "
out_has "Not called changed in 2; the farthest of these:"
run explain out b --json -q
code_is 0
if command -v python3 >/dev/null; then
    yes "JSON of a variable" python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))["variable"]
assert [(c["condition"], c["target"]) for c in v["conditions"]] == [("one", True), ("three", False), ("two", False)]
assert v["conditions"][0]["size"] == v["size"] and all(c["reason"] for c in v["conditions"])' "$box/out"
    yes "graph.json and run.json are JSON" python3 -c '
import json
graph, run = json.load(open("out/graph.json")), json.load(open("out/run.json"))
assert [f["path"] for f in run["reading"]["files"]] == ["control.csv", "one.csv", "three.csv", "two.csv"]
assert all(f["xxh64"] for f in run["inputs"]) and run["conditions"] == ["one", "three", "two"]
assert all(c["pair"] == graph["tests"][t - 1]["pair"] for c in graph["certificates"] for t in c["literals"])'
fi
run discover control.csv one.csv two.csv three.csv -o out --quiet --json
code_is 0
if command -v python3 >/dev/null; then
    yes "--json has the rows of targets.csv" python3 -c '
import csv, json, sys
found = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open("out/targets.csv")))
assert found["conditions"] == ["one", "three", "two"] and len(rows) == len(found["targets"]) == 9
assert all((r["condition"], r["variable"]) == (t["condition"], t["variable"]) for r, t in zip(rows, found["targets"]))' \
        "$box/out"
fi

# ---- the check on the tables ----
run explain out --check -q
code_is 0
out_has "tests made again: every certificate and every step of the closure holds."
{ cat one.csv && tail -n +2 three.csv && tail -n +2 two.csv; } >pooled.csv
run explain out --check --obs control.csv --int pooled.csv -q
code_is 0
run explain out --check --obs control.csv -q
refused 1 "the run read a control and 3 conditions; give the control with --obs"
run explain out --check --obs control.csv --int one.csv -q
refused 1 "the interventional table is not the one of the run"
run discover long.csv --conditions group=control -o long --quiet
code_is 0
run explain long --check -q
code_is 0
run explain long --check --obs long.csv -q
code_is 0
run explain long --check --obs long.csv --int one.csv -q
refused 1 "give it with --obs alone"
cp -r out forged
sed -i '/"test": 1,/s/"statistic": [0-9.e+]*/"statistic": 7/' forged/graph.json
run explain forged --check -q
code_is 1
err_has "test 1 of "
# the same tests on the tables of another pair come out differently
cp -r out swapped && rm swapped/graph.json
sed -e '/"\(test\|certificate\)": /s/\["control", "one"\]/["control", "X"]/' \
    -e '/"\(test\|certificate\)": /s/\["control", "two"\]/["control", "one"]/' \
    -e '/"\(test\|certificate\)": /s/\["control", "X"\]/["control", "two"]/' out/graph.json >swapped/graph.json
run explain swapped --check -q
code_is 1
err_has "comes out differently"
damaged() { # SED MESSAGE
    rm -rf damaged && cp -r out damaged
    sed -i "$1" damaged/graph.json
    run explain damaged -q
    refused 1 "$2"
}
damaged '/"test": 1,/s/"pair": \["control", "[a-z]*"\]/"pair": ["control", "four"]/' 'its "pair" is none of those that were tested'
damaged '/"certificate": 1,/s/"pair": \["control", "[a-z]*"\]/"pair": ["control", "three"]/' "a test of it is on other tables"
damaged 's/\["control", "one"\], \["control", "three"\]/["control", "three"], ["control", "one"]/' "is not in the order of the conditions"
damaged 's/"pairs": \[\["control", "one"\]/"pairs": [["one"]/' "a pair that is not one of the control and a condition"
damaged 's/{"condition": "two"/{"condition": "one"/' "two conditions have one name"
damaged 's/{"condition": "two"/{"condition": "t\\u0007"/' "condition 3: its name is none"
damaged 's/{"condition": "two", "rows": 1100/{"condition": "two", "rows": -1/' "condition 3"
rm -rf damaged && cp -r out damaged
sed -i 's/"rows": 1100/"rows": 3000/' damaged/graph.json
run explain damaged --check -q
refused 1 "the rows of the conditions are not those of the table"
rm -rf damaged && cp -r out damaged
sed -i 's/{"name": "three", "path": "three.csv"}, //' damaged/run.json
run explain damaged -q
refused 1 '"files" does not hold one for each condition'
mv two.csv moved.csv
run explain out --check -q
refused 3 "two.csv is not there any more"
mv moved.csv two.csv

# ---- the same bytes ----
same_as_out() { # WHAT FOLDER
    for file in $everything; do yes "$1: $file" cmp -s "out/$file" "$2/$file"; done
}
same_as_out "long table" long
run discover control.csv three.csv two.csv one.csv -o turned --threads 1 --quiet
code_is 0
same_as_out "other order, one thread" turned
run discover control.csv two.csv one.csv three.csv -o threads --threads 2 --quiet
code_is 0
same_as_out "two threads" threads
if command -v mpirun >/dev/null && "$scone" --version >/dev/null; then
    if mpirun --allow-run-as-root --oversubscribe -n 2 "$scone" discover control.csv one.csv two.csv three.csv \
        -o team --quiet >/dev/null 2>"$box/team"; then
        same_as_out "two processes" team
    fi
fi

# ---- nearly everything changed ----
run discover control.csv one.csv all.csv -o much --quiet
code_is 0
err_has "in 1 of 2 conditions ('all') more than half of the variables are called changed"
err_has "usually everything shifted together"
yes "run.json has the warning" grep -q "in 1 of 2 conditions ('all') more than half" much/run.json
yes "and the page" grep -q "Warning: in 1 of 2 conditions ('all') more than half" much/report.html
yes "which promises no share then" grep -q "marked wrongly is not known here" much/report.html
is "nor a share beside that" "$(grep -c '% of the changes that are marked' much/report.html)" 0

# ---- a column that is one number in each table ----
for pair in control:0 one:1 two:2 three:0; do
    awk -v dose="${pair#*:}" 'NR == 1 { print $0 ",dose"; next } { print $0 "," dose }' "${pair%:*}.csv" >"dose_${pair%:*}.csv"
done
run discover dose_control.csv dose_one.csv dose_two.csv dose_three.csv -o dose --quiet
code_is 0
is "where it differs from the control it is changed" "$(grep ',dose,' dose/targets.csv | cut -d, -f1-3)" \
    "$(printf 'dose_one,dose,1\ndose_three,dose,0\ndose_two,dose,1')"
yes "and where it does not, that is why" \
    grep -q '^dose_three,dose,0,0,1,0,.*it has one value, the same in both' dose/targets.csv

# ---- strange names ----
run discover control.csv '<script>alert("x")</script>=one.csv' "R&D 'q\", \\=two.csv" -o strange --quiet
code_is 0
is "no markup from names" "$(grep -c '<script' strange/report.html)" 0
yes "they are text" grep -q '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;' strange/report.html
is "quoted in CSV" "$(head -n 1 strange/sizes.csv)" \
    "variable,\"<script>alert(\"\"x\"\")</script>\",\"R&D 'q\"\", \\\""
run explain strange --check -q
code_is 0
run discover control.csv $'a\tb=one.csv' two.csv -o no -q
refused 1 "condition 1: the name 'a\\x09b' is empty, not UTF-8 or holds control characters"
run discover control.csv $'\xff=one.csv' two.csv -o no -q
refused 1 "condition 2: the name"
yes "nothing was written" test ! -e no

# ---- many conditions: bounded pairs, table and list ----
many=""
for k in $(seq 1 15); do
    { echo a,b,c && rows "$([ "$k" -gt 2 ] && echo one || echo same)" "1$k" 60 | cut -d, -f2-; } >"m$k.csv"
    many="$many m$k.csv"
done
run discover control.csv $many -o many --quiet
code_is 0
out_has "Mechanisms are found to have changed in 13 of 15 conditions"
out_has "  and in 1 more by at most "
is "twelve are shown" "$(grep -cE '^  m[0-9]+ +1  b' "$box/out")" 12
pairs() { grep -o '"pairs": \[.*\]\]' "$1/graph.json" | grep -o '\["control"' | wc -l | tr -d ' '; }
is "pairs with normal effort" "$(pairs many)" 12
yes "the page has the conditions where something changed" grep -q 'It has the 13 of 15 conditions' many/report.html
run discover control.csv $many -o many -e fast --quiet
code_is 0
is "with fast effort" "$(pairs many)" 4
run discover control.csv $many -o many -e thorough --quiet
code_is 0
is "with thorough effort" "$(pairs many)" 15
for k in $(seq 1 3); do head -n 20 "m$k.csv" >"few$k.csv"; done
run discover control.csv few1.csv few2.csv few3.csv -o few --quiet
code_is 0
run explain few --check -q
code_is 0
out_has "there is no certificate to check"

# ---- a result of other tables, and of two ----
run discover control.csv one.csv two.csv -o out -q
refused 1 "out: holds the result of a run on other tables (control.csv, one.csv, two.csv, three.csv)"
run discover control.csv one.csv -o out -p search --force -q
code_is 0
yes "two tables have no sizes.csv" test ! -e out/sizes.csv
finish
