#!/usr/bin/env bash
# scone explain as a user runs it: words, JSON, the check on the data, inputs that moved or changed,
# damaged results.
. "$(dirname "$0")/lib.sh"

run simulate custom --nodes 6 --edges 7 --mechanisms linear --samples 3000 --p-target 0.5 --seed 4 -o sim -q
code_is 0
run discover sim/g0/obs.csv sim/g0/int.csv -p ges -o out -q
code_is 0
out_has "scone explain out tells the reasons."
yes "there are certificates" grep -q '"certificate": 1, "rule": ' out/graph.json
yes "and a short reason" grep -qE ',"?[^,]*(SSI|SCR)' out/edges.csv
yes "the page has it, too" grep -qE '(SSI|SCR)' out/report.html

# ---- words ----
run explain out
code_is 0
err_is <<'E'
CLOSING LINE
E
out_has "would have changed, too. So "
out_has "(p "
out_has " sd)"
is "every edge" "$(grep -cE '^[^ ].* (->|-) ' "$box/out")" "$(($(wc -l <out/edges.csv) - 1))"
cp "$box/out" "$box/all"
read -r a b <<E
$(awk -F, '$3 == "directed" && /SSI/ { print $1, $2; exit }' out/edges.csv)
E
run explain out "$a" "$b" -q
code_is 0
err_empty
out_has "$a -> $b"
is "one edge" "$(grep -cE '^[^ ].* (->|-) ' "$box/out")" 1
cp "$box/out" "$box/one"
run explain out "$b" "$a" -q
code_is 0
out_is <"$box/one"
yes "the same as among all" bash -c 'grep -qF "$(sed -n 3p "$1")" "$2"' _ "$box/one" "$box/all"
run explain out --json -q
code_is 0
out_has '"certificates":'
if command -v python3 >/dev/null; then
    yes "JSON" python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["edges"]; assert all(x["text"] for x in e)' "$box/out"
fi
none=$(awk -F, 'NR == 1 { for (k = 2; k <= NF; k++) name[k] = $k; next }
    { for (k = 2; k <= NF; k++) p[$1, name[k]] = $k; row[NR] = $1 }
    END { for (r in row) for (k in name) if (row[r] != name[k] && p[row[r], name[k]] + p[name[k], row[r]] < 0.3) {
        print row[r], name[k]; exit } }' out/probabilities.csv)
run explain out $none -q
code_is 0
read -r first second <<E
$none
E
cell() { # the probability of ROW -> COLUMN
    awk -F, -v row="$1" -v column="$2" 'NR == 1 { for (k = 2; k <= NF; k++) if ($k == column) at = k; next }
        $1 == row { print $at }' out/probabilities.csv
}
out_is <<E
There is no edge between $first and $second in this graph.
$(awk -v a="$first" -v b="$second" -v f="$(cell "$first" "$second")" -v g="$(cell "$second" "$first")" \
    'BEGIN { printf "  Probabilities: %s -> %s %.2f, %s -> %s %.2f, no edge %.2f.\n", a, b, f, b, a, g, 1 - f - g }')
  The graph has an edge where both directions together reach 0.50.
E
run explain out $none --json -q
code_is 0
out_has '"threshold":	0.5'
if command -v python3 >/dev/null; then
    yes "JSON of a pair" python3 -c '
import json, sys
answer, first, second, forward, backward = json.load(open(sys.argv[1])), *sys.argv[2:]
pair = answer["pair"]
assert answer["edges"] == [] and pair["first"] == first and pair["second"] == second
assert pair["p_forward"] == float(forward) and pair["p_backward"] == float(backward)
assert abs(pair["p_none"] - (1 - float(forward) - float(backward))) < 1e-12
' "$box/out" "$first" "$second" "$(cell "$first" "$second")" "$(cell "$second" "$first")"
fi
run explain out "$first" "$first" -q
refused 1 "give two variables, not '$first' twice"
# an edge that is likely enough and left out
sed 's/"left_out": \[\]/"left_out": [{"source": "'"$first"'", "target": "'"$second"'", "p_forward": 0.6, "why": "it would close a cycle"}]/' \
    out/graph.json >left.json
cp -r out left && mv left.json left/graph.json
run explain left $none -q
code_is 0
out_has "  $first -> $second is left out: it would close a cycle."
rm -r left

# ---- one variable ----
while IFS=, read -r condition name target size p score reason; do
    [ "$name" = variable ] && continue
    is "the table of $name" "$condition" int
    run explain out "$name" -q
    code_is 0
    is "the name" "$(head -n 1 "$box/out")" "$name"
    if [ "$target" = 1 ]; then out_has "Its mechanism changed between the tables: p "
    else out_has "Its mechanism is not found to have changed: p "; fi
    # targets.csv has four digits of it
    told=$(sed -nE 's/.*evidence of ([0-9.]+) decimal digits.*/\1/p' "$box/out")
    is "the evidence, $told or $score" "$(awk -v s="$score" -v t="$told" \
        'BEGIN {d = s - t; if (d < 0) d = -d; print (t != "" && d <= 0.051 + 0.0006 * s)}')" 1
    out_has "(false discovery rate 0.05)"
    reason=${reason#\"}
    is "the reason, in one line" "$(sed -n '/^  Why: /,/\.$/p' "$box/out" | sed 's/^ *//' | tr '\n' ' ')" "Why: ${reason%\"}. "
    [ "${size%.*}" = 0 ] || out_has "moved by"
    causes=$(awk -F, -v n="$name" '$3 == "directed" && $2 == n { printf "%s%s (%.2f)", s, $1, $4; s = ", " }' out/edges.csv)
    effects=$(awk -F, -v n="$name" '$3 == "directed" && $1 == n { printf "%s%s (%.2f)", s, $2, $4; s = ", " }' out/edges.csv)
    out_has "  Causes: ${causes:-none}."
    out_has "  Effects: ${effects:-none}."
    is "its edges" "$(grep -cE '^[^ ].* (->|-) ' "$box/out")" \
        "$(awk -F, -v n="$name" 'NR > 1 && ($1 == n || $2 == n)' out/edges.csv | wc -l)"
    run explain out "$name" --check -q
    code_is 0
    out_has "made again"
done <out/targets.csv
is "both kinds" "$(cut -d, -f3 out/targets.csv | sort -u | tr '\n' ' ')" "0 1 target "
run explain out "$a" --json -q
code_is 0
out_has '"name":	"'"$a"'"'
out_has '"p_value":'
run explain out "${a}1" -q
refused 1 "there is no variable '${a}1' in out/graph.json; did you mean 'X"
# a long list goes on in the next line
awk 'BEGIN { for (r = 0; r < 200; r++) { l = ""; s = (r * 7919 % 101) / 50 - 1
    for (k = 0; k < 14; k++) l = l (k ? "," : "") (r ? s + ((r * (k + 3) * 31) % 17) / 40 : "a_rather_long_name_" k)
    print l } }' >many.csv
run discover many.csv many.csv -p polybic -b 0 -o many -q
code_is 0
broken=0
for k in 0 1 2 3 4 5 6 7; do
    run explain many a_rather_long_name_$k -q
    is "no line above 100" "$(sed '/^$/q' "$box/out" | awk 'length > 100')" ""
    broken=$((broken + $(grep -cE '^    a_rather_long_name_' "$box/out")))
done
yes "a list is broken" test "$broken" -gt 0

# what the score says of an edge, where the search found it
run simulate custom --nodes 4 --edges 4 --mechanisms sigmoid --samples 800 --seed 5 -o four -q
run discover four/g0 -o scored -e fast -q
code_is 0
yes "numbers" grep -q '"worth": [0-9]' scored/graph.json
run explain scored -q
code_is 0
out_has "The score: without it the tables are explained worse by "
sed 's/"worth": [^,]*/"worth": "much"/' scored/graph.json >"$box/x" && cp "$box/x" scored/graph.json
run explain scored -q
code_is 0
yes "nothing is said of what is not a number" bash -c '! grep -q "The score:" "$1"' _ "$box/out"

# ---- the check ----
run explain out --check -q
code_is 0
err_empty
out_has "every certificate and every step of the closure holds"
out_has "Checked: "
cp "$box/out" "$box/checked"
run explain out --check -q --threads 3
code_is 0
out_is <"$box/checked"
run explain out --check --json -q
code_is 0
out_has '"holds":'
mkdir elsewhere
cp sim/g0/obs.csv elsewhere/before.csv
cut -d, -f6,5,4,3,2,1 sim/g0/int.csv >elsewhere/after.csv
cd elsewhere
run explain ../out --check -q
refused 3 "sim/g0/obs.csv is not there any more; run scone explain where scone discover ran, or give the tables with --obs"
run explain ../out --check -q --obs before.csv --int after.csv
code_is 0
out_is <"$box/checked"
run explain ../out --check -q --obs before.csv
refused 1 "the run read two tables; give both, --obs and --int"
run explain ../out --check -q --int after.csv
refused 1 "--int goes with --obs"
run explain ../out --check -q --obs after.csv --int before.csv
refused 1 "the observational table is not the one of the run"
cd ..
cp sim/g0/obs.csv kept.csv
sed -i '5s/[0-9]/7/' sim/g0/obs.csv
cmp -s sim/g0/obs.csv kept.csv && sed -i '5s/[0-9]/8/' sim/g0/obs.csv
run explain out --check -q
refused 1 "sim/g0/obs.csv has changed since the run"
run explain out -q
code_is 0
run explain out --check -q --obs sim/g0/obs.csv --int sim/g0/int.csv
refused 1 "the observational table is not the one of the run"
mv kept.csv sim/g0/obs.csv

# other forms of input
sed '1s/$/,arm/; 2,$s/$/,0/' sim/g0/obs.csv >both.csv
sed '1d; s/$/,1/' sim/g0/int.csv >>both.csv
run discover both.csv --regime arm -p ges -o split -q
code_is 0
run explain split --check -q
code_is 0
mv both.csv moved.csv
run explain split --check -q
code_is 3
run explain split --check -q --obs moved.csv
code_is 0
run simulate custom --nodes 4 --edges 4 --mechanisms linear --samples 1000 --seed 4 -o dcdi --format dcdi -q
run discover dcdi -p ges -o from_dcdi -q
code_is 0
run explain from_dcdi --check -q
code_is 0
mv dcdi dcdi2
run explain from_dcdi --check -q --obs dcdi2
code_is 0

# ---- rules on and off, knowledge against them ----
run discover sim/g0 -p ges -o off --rules none -q
code_is 0
run explain off --check -q
code_is 0
out_has "0 of them with a certificate"
out_has "0 tests made again"
for list in paper ssi scr ssi,scr cvt,dpt; do
    run discover sim/g0 -p ges -o some --rules $list -q
    code_is 0
    run explain some --check -q
    code_is 0
done
run discover sim/g0 -p ges -o no --rules ssi,fast -q
refused 1 "there is no list of rules 'ssi,fast'; use all, none, paper, or some of ssi, cvt, dpt, scr"
yes "nothing was written" test ! -e no
echo "$b -> $a" >against.txt
run discover sim/g0 -p ges -o known -k against.txt
code_is 0
err_has "says $a -> $b, which the knowledge file excludes: it is honoured"
out_has "Conflicts between rules and the rest"
yes "in run.json" grep -qF "which the knowledge file excludes" known/run.json
yes "in graph.json" grep -qF '"outcome": "known"' known/graph.json
is "knowledge wins" "$(awk -F, -v a="$a" -v b="$b" '$1 == b && $2 == a { print $3, $7 }' known/edges.csv)" "directed knowledge line 1"
run explain known "$a" "$b" -q
code_is 0
out_has "Against it:"
out_has "It is not used: the knowledge file excludes it."

# ---- the same bytes whatever the threads and the order of the columns ----
results() { (cd "$1" && sha256sum edges.csv graph.json probabilities.csv report.html); }
run discover sim/g0 -p ges -o three -q --threads 3
is "threads" "$(results three)" "$(results out)"
run discover elsewhere/before.csv elsewhere/after.csv -p ges -o columns -q
is "one table's columns" "$(results columns)" "$(results out)"

# ---- small samples say unknown, not a direction ----
for table in obs int; do head -n 41 sim/g0/$table.csv >few_$table.csv; done
run discover few_obs.csv few_int.csv -p ges -b 0 -o few -q
code_is 0
yes "no certificate from 40 rows" grep -q '"certificates": \[\],' few/graph.json
awk -F, -v OFS=, 'NR == 1 { print $0, "flag", "same"; next } { print $0, ($1 > 0), 3 }' sim/g0/obs.csv >odd_obs.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "flag", "same"; next } { print $0, ($1 > 0), 3 }' sim/g0/int.csv >odd_int.csv
run discover odd_obs.csv odd_int.csv -p ges -o odd -q
code_is 0
run explain odd --check -q
code_is 0

# ---- damaged results ----
damage() { # SED SCRIPT, FILE, CODE, TEXT
    rm -rf bad
    cp -r out bad
    sed -i -E "$1" "bad/$2"
    yes "damaged by $1" bash -c '! cmp -s out/$0 bad/$0' "$2"
    run explain bad -q
    refused "$3" "$4"
}
damage '/"certificate": 1,/s/"source": "[^"]*"/"source": "nobody"/' graph.json 1 "bad/graph.json: certificate 1: a name is not among the nodes"
damage '/"certificate": 1,/s/"rule": "[^"]*"/"rule": "magic"/' graph.json 1 "certificate 1: a rule or an outcome that is not known"
damage '/"certificate": 1,/s/"literals": \[1/"literals": [99999/' graph.json 1 "certificate 1: a number is not whole or not from 1 to"
damage '/"certificate": 1,/s/"literals": \[[0-9, ]*\]/"literals": []/' graph.json 1 "certificate 1: it lacks what its rule needs"
damage '/"certificate": 1,/s/"local": \[/"local": [[],/' graph.json 1 "certificate 1: not two local graphs"
damage '/"test": 1,/s/"statistic": [^,]*/"statistic": "high"/' graph.json 1 'test 1: the member "statistic" is missing or not a number'
damage '/"test": 1,/s/"given": \[\]/"given": 3/; /"test": 1,/s/"given": \["/"given": ["?/' graph.json 1 "test 1: "
damage '/"test": 1,/s/"verdict": "[a-z]*"/"verdict": "maybe"/' graph.json 1 "test 1: a verdict is none of"
damage 's/"cause": "(search|rule)"/"cause": "closure", "step": 999/' graph.json 1 '"step"'
damage 's/"format": "scone-graph"/"format": "x"/' graph.json 1 "not a graph as scone writes it"
damage 's/"certificates": \[$/"credentials": [/; s/"certificates": \[\],$/"credentials": [],/' graph.json 1 "graph without its reasons"
damage 's/"nodes": \["[^"]*"/"nodes": [3/' graph.json 1 "node 1: not a name"
damage 's/"reading": \{/"reading": 3, "x": {/' run.json 1 '"reading"'
damage 's/"regime": 1/"regime": 1}, {"rows": 3/' run.json 1 '"tables" does not hold two'
damage 's/"variable": "[^"]*", "target"/"variable": "nobody", "target"/' graph.json 1 "bad/graph.json: target 1: a name is not among the nodes"
damage 's/"targets": \[$/"targets": [{"size": 1},/' graph.json 1 '"targets" does not hold every node'
damage 's/"left_out": \[\]/"left_out": [{"source": "X0", "target": "X1"}]/' graph.json 1 '"left_out" 1: the member "why"'
damage 's/"threshold": [0-9.]+/"threshold": "half"/' graph.json 1 'the member "threshold" is missing or not a number'
damage '$d' graph.json 1 "not valid JSON"
damage '$d' run.json 1 "not valid JSON"
rm bad/run.json
run explain bad -q
refused 3 "bad/run.json"
run explain nowhere -q
refused 3 "nowhere is not a folder"
run explain out/edges.csv -q
refused 1 "is not a folder"
run explain out "$a" nobody -q
refused 1 "there is no variable 'nobody' in out/graph.json; its nodes have the names"
run explain out "$a" "$b" "$a"
refused 2 "it takes the folder of a result, and up to two variables"
run explain out --obs x.csv
refused 2 "--obs and --int go with --check"
# numbers that were tampered with are found by the check
rm -rf bad
cp -r out bad
sed -i -E '/"test": 1,/s/"statistic": [^,]*/"statistic": 5/' bad/graph.json
run explain bad --check -q
code_is 1
err_has "test 1 of "
# each byte cut off: an error, no crash
size=$(stat -c %s out/graph.json)
for ((cut = 1; cut < size; cut += size / 40)); do
    head -c $cut out/graph.json >bad/graph.json
    run explain bad -q
    code_is 1
done
finish
