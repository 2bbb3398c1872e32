#!/usr/bin/env bash
# scone discover as a user runs it: the three forms of input, the files, the same bytes for any
# number of threads and any order of the columns, knowledge, what is refused.
. "$(dirname "$0")/lib.sh"

# The search is many times slower under sanitizers; the plain runs below cover it there.
presets="search ges polybic"
[ -z "${SCONE_SLOW:-}" ] || presets="ges polybic"

run simulate custom --nodes 8 --edges 9 --mechanisms linear,sigmoid --samples 400 --seed 3 --count 2 -o sim -q
code_is 0
all="edges.csv graph.dot graph.graphml graph.json probabilities.csv report.html run.json targets.csv "
# The name of the changed table is that of its file, where it has one.
results() { (cd "$1" && sha256sum edges.csv graph.dot graph.graphml graph.json probabilities.csv report.html && cut -d, -f2- targets.csv); }

# ---- the plain run ----
run discover sim/g0/obs.csv sim/g0/int.csv -o out --effort fast
code_is 0
err_is <<'X'
CLOSING LINE
X
cp "$box/out" "$box/told"
out_has "8 variables, 400 rows before and 400 after the change: "
out_has "Strongest edges"
out_has "out/report.html shows the graph"
yes "it fits a screen" test "$(wc -l <"$box/out")" -le 40
is "files" "$(entries out)" "$all"
is "edges.csv" "$(head -n 1 out/edges.csv)" "source,target,kind,p_forward,p_backward,p_none,why"
is "probabilities.csv" "$(head -n 1 out/probabilities.csv)" "variable,X0,X1,X2,X3,X4,X5,X6,X7"
is "rows of it" "$(wc -l <out/probabilities.csv)" 9
is "targets.csv" "$(head -n 1 out/targets.csv)" "condition,variable,target,size,p_value,evidence,reason"
is "a row for every variable" "$(tail -n +2 out/targets.csv | cut -d, -f2 | sort | tr '\n' ' ')" "X0 X1 X2 X3 X4 X5 X6 X7 "
is "the name of the changed table" "$(tail -n +2 out/targets.csv | cut -d, -f1 | sort -u)" int
is "the farthest first" "$(tail -n +2 out/targets.csv | cut -d, -f4)" "$(tail -n +2 out/targets.csv | cut -d, -f4 | sort -grs)"
is "a reason for every variable" "$(grep -cE ',"?(moved by|has one value|known beforehand) ' out/targets.csv)" 8
yes "the report has sizes and reasons" grep -q 'class="v">size</th>.*<th>why</th>' out/report.html
yes "run.json has the command line" grep -qF '"command": "scone discover sim/g0/obs.csv sim/g0/int.csv -o out --effort fast"' out/run.json
yes "and the inputs" grep -qF "{\"path\": \"sim/g0/obs.csv\", \"bytes\": $(stat -c %s sim/g0/obs.csv), \"xxh64\": \"" out/run.json
yes "and the version" grep -qF "\"version\": \"$version\"" out/run.json
for part in '"name": "learn"' '"peak_memory_bytes": ' '"seed": 0' '"warnings": []'; do
    yes "run.json has $part" grep -qF "$part" out/run.json
done
if command -v python3 >/dev/null; then
    yes "JSON" python3 -c 'import json; [json.load(open("out/" + name)) for name in ("run.json", "graph.json")]'
fi
# what it says is what it wrote
for form in out/edges.csv out/graph.json out/graph.dot out/graph.graphml; do
    run eval $form out/edges.csv -q
    code_is 0
    out_has "SHD 0:"
done
run eval out sim/g0 -q
code_is 0
out_has "AUPRC"
out_has "targets"

# ---- other forms of input, the same result ----
run discover sim/g0 -o out2 -q --effort fast
code_is 0
err_empty
is "same result from a folder" "$(results out2)" "$(results out)"
run discover sim --index 1 -o other -q --effort fast
code_is 0
yes "another problem" test "$(results other)" != "$(results out)"
run discover sim -o out2 --effort fast
code_is 0
err_has "note: sim holds 2 problems; this is number 0"
is "replaced by itself" "$(results out2)" "$(results out)"
{ sed '1s/$/,arm/;2,$s/$/,c/' sim/g0/obs.csv; sed '1d;s/$/,t/' sim/g0/int.csv; } >both.csv
run discover both.csv --regime arm=c -o out3 -q --effort fast
code_is 0
is "same result from one table" "$(results out3)" "$(results out)"
run simulate sim/setting.json --format dcdi -o dcdi -q
run discover dcdi --index 1 -o out4 -q --effort fast
code_is 0
is "same result from DCDI files" "$(results out4)" "$(results out)"
yes "whose names are noted" grep -qF '"path": "dcdi/data_interv1.npy"' out4/run.json

# ---- threads, order of columns ----
for preset in $presets; do
    run discover sim/g0 -o ref -q --preset $preset --effort fast --seed 5 --threads 1
    code_is 0
    sed 's/ref/OUT/' "$box/out" >"$box/first"
    for threads in 2 4; do
        run discover sim/g0 -o again -q --preset $preset --effort fast --seed 5 --threads $threads
        code_is 0
        is "$preset with $threads threads" "$(results again)" "$(results ref)"
    done
    for table in obs int; do
        awk -F, -v OFS=, '{print $6, $2, $8, $1, $3, $7, $5, $4}' sim/g0/$table.csv >moved_$table.csv
    done
    run discover moved_obs.csv moved_int.csv -o again -q --preset $preset --effort fast --seed 5
    code_is 0
    is "$preset with the columns in another order" "$(results again)" "$(results ref)"
    sed 's/again/OUT/' "$box/out" >"$box/second"
    yes "and on standard output" cmp -s "$box/first" "$box/second"
    # the tables' order may differ, too
    run discover moved_obs.csv sim/g0/int.csv -o again -q --preset $preset --effort fast --seed 5
    is "$preset with one table in another order" "$(results again)" "$(results ref)"
done

# ---- JSON ----
run discover sim/g0 -o out --json -q --effort fast
code_is 0
out_has '	"variables":	8,'
out_has '	"rows":	[400, 400],'
out_has '"p_backward":'
out_has '			"why":	"model"'
out_has '"learn":'
if command -v python3 >/dev/null; then
    yes "JSON on standard output" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$box/out"
fi

# ---- knowledge ----
printf '# order of measurement\ntier 1: X3\ntier 2: X0 X1 X2 X4 X5 X6 X7\nX3 -> X6\nX0 !-> X1\nX1 !-> X0\ntarget X2\n' >known.txt
for preset in $presets; do
    run discover sim/g0 -o known -q --preset $preset -k known.txt
    code_is 0
    yes "$preset: the required edge" grep -q '^X3,X6,directed,1,0,0,knowledge line 4$' known/edges.csv
    is "$preset: none into tier 1" "$(awk -F, '$2 == "X3" || ($1 == "X3" && $3 == "undirected")' known/edges.csv)" ""
    is "$preset: none between X0 and X1" "$(grep -E '^(X0,X1|X1,X0),' known/edges.csv)" ""
    is "$preset: the target" "$(grep ',X2,' known/targets.csv | cut -d, -f3)" 1
    yes "$preset: and why" grep -q ',X2,1,.*,known beforehand to have changed$' known/targets.csv
    yes "the file is noted" grep -qF '"knowledge": "known.txt"' known/run.json
done
printf 'X0 -> X1\n\nX1 -> X0\n' >bad.txt
run discover sim/g0 -o bad -k bad.txt --effort fast
refused 1 "bad.txt: lines 1 and 3 require a cycle of causes, X0 -> X1 -> X0"
printf 'X0 -> X11\n' >bad.txt
run discover sim/g0 -o bad -k bad.txt --effort fast
refused 1 "bad.txt: line 1: there is no column 'X11'; did you mean 'X1'?"
run discover sim/g0 -o bad -k absent.txt --effort fast
refused 3 "absent.txt"
yes "nothing was written" test ! -e bad

# ---- trouble in the tables ----
awk -F, -v OFS=, 'NR > 1 {$3 = 5} {print}' sim/g0/obs.csv >flat_obs.csv
awk -F, -v OFS=, 'NR > 1 {$3 = 5} {print}' sim/g0/int.csv >flat_int.csv
run discover flat_obs.csv flat_int.csv -o flat --effort fast
code_is 0
err_has "scone: warning: column X2: constant, so without edges"
is "no edges at X2" "$(grep -E '(^|,)X2,' flat/edges.csv)" ""
yes "the warning is kept" grep -qF 'column X2: constant' flat/run.json
run discover sim/g0/obs.csv sim/g0/obs.csv -o same --effort fast
code_is 0
err_has "warning: both tables are the same"
out_has "No mechanism is found to have changed (false discovery rate 0.05)."
sed '5s/^[^,]*/NA/' sim/g0/obs.csv >holes.csv
run discover holes.csv sim/g0/int.csv -o holes --effort fast
refused 1 "holes.csv: row 5, column 1"
run discover holes.csv sim/g0/int.csv -o holes --na drop --effort fast
code_is 0
err_has "note: "
out_has "399 rows before and 400 after"
head -n 3 sim/g0/obs.csv >few.csv
run discover few.csv few.csv -o few -q --effort fast
code_is 0
head -n 2 sim/g0/obs.csv >one.csv
run discover one.csv sim/g0/int.csv -o one -q --effort fast
refused 1 "has 1 row"
cut -d, -f1 sim/g0/obs.csv >single.csv
run discover single.csv single.csv -o single -q --effort fast
code_is 0
out_has "1 variable, "
out_has "No edges were found."
printf '"a,b","<u>x</u>",c\n1,2,1\n2,4,3\n3,5,2\n4,9,5\n5,9,4\n' >names.csv
run discover names.csv names.csv -o names -q --effort fast
code_is 0
is "names are escaped" "$(grep -c '<u>' names/report.html)" 0
is "and quoted" "$(head -n 1 names/probabilities.csv)" 'variable,<u>x</u>,"a,b",c'

# ---- folders ----
mkdir taken && echo precious >taken/edges.csv
run discover sim/g0 -o taken --effort fast
refused 1 taken
is "untouched" "$(cat taken/edges.csv)" precious
run discover sim/g0 -o taken --force -q --effort fast
code_is 0
is "forced" "$(entries taken)" "$all"
echo mine >out/notes.txt
run discover sim/g0 -o out -q --effort fast
code_is 0
is "other files stay" "$(entries out)" "edges.csv graph.dot graph.graphml graph.json notes.txt probabilities.csv report.html run.json targets.csv "
# the result of other tables stays, unless it is given up
before=$(digest out)
run discover sim/g1 -o out -q --effort fast
refused 1 "out: holds the result of a run on other tables (sim/g0/obs.csv, sim/g0/int.csv); choose another folder, or add --force to replace it"
is "untouched" "$(digest out)" "$before"
run discover sim/g0/int.csv sim/g0/obs.csv -o out -q --effort fast
refused 1 "out: holds the result of a run on other tables"
cp sim/g0/obs.csv elsewhere.csv
run discover elsewhere.csv sim/g0/int.csv -o out -q --effort fast -p ges -b 0
code_is 0
run discover both.csv --regime arm -o split_again -q -p ges -b 0
code_is 0
run discover dcdi --index 2 -o split_again -q -p ges -b 0
refused 1 "split_again: holds the result of a run on other tables (both.csv); choose"
run discover dcdi --index 2 -o split_again -q -p ges -b 0 --force
code_is 0
run discover both.csv --regime arm -o split_again -q -p ges -b 0
refused 1 "split_again: holds the result of a run on other tables (dcdi); choose"
echo '{"format": "scone-result", "tables": [{"xxh64": "00"}]}' >split_again/run.json
run discover dcdi --index 2 -o split_again -q -p ges -b 0
refused 1 "split_again/run.json does not tell which tables the result is of; choose another folder, or add --force to replace it: "
run discover dcdi --index 2 -o split_again -q -p ges -b 0 --force
code_is 0
run discover sim/g0 -o absent/deeper -q --effort fast
refused 3 absent

# ---- usage ----
run discover sim/g0 --effort fast
refused 2 "discover: give the folder to write with -o DIR"
run discover -o x --effort fast
refused 2 "it takes two tables OBS INT"
run discover sim/g0 -o x --preset magic
refused 2 "--preset: 'magic' is not one of search, ges, polybic"
run discover sim/g0 -o x --alpha 2 --effort fast
refused 2 "--alpha: '2' is not a number from"
run discover sim/g0 -o x --preset polybic --max-parents 2
refused 1 "--max-parents means nothing to the preset polybic"
run discover sim/g0 -o x --preset search --bootstrap 9
refused 1 "--bootstrap means nothing to the preset search"
run discover sim/g0/obs.csv -o x --effort fast
refused 2 "is one table; add the second"
yes "nothing was written" test ! -e x
run discover sim/g0 -o limits -q --preset ges --max-parents 1 --threshold 0.3 --margin 0 --bootstrap 5
code_is 0
yes "0 is a margin" grep -q '"margin": 0,' limits/run.json
finish
