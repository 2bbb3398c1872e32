#!/usr/bin/env bash
# What a new user gets wrong: the message says what and where, the exit code which kind, and
# nothing is left behind.
. "$(dirname "$0")/lib.sh"

printf 'a,b\n1,2\n3,4\n5,1\n' >ok.csv
printf 'b,a\n2,1\n4,2\n1,5\n' >ok2.csv
printf 'source,target\na,b\n' >graph.csv

# ---- tables ----
run check nowhere.csv ok.csv
refused 3 "nowhere.csv: cannot open: No such file or directory"
run check ok.csv nowhere.csv
refused 3 "nowhere.csv"
run check ok.csv/inside ok.csv
refused 3 "ok.csv/inside: cannot open: Not a directory"
mkdir folder
run check folder ok.csv
refused 3 "folder: is a folder, not a file"
run check folder
refused 1 "folder: the folder has neither obs.csv and int.csv nor DCDI files"
run check nowhere
refused 3 "nowhere: No such file or directory"
: >empty.csv
run check empty.csv ok.csv
refused 1 "empty.csv: the file is empty"
run check ok.csv empty.csv
refused 1 "empty.csv: the file is empty"
printf 'a,b\n1,2\n3,high\n' >text.csv
run check ok.csv text.csv
refused 1 "text.csv: row 3, column 2 ('b'): 'high' is not a number"
printf 'a,b\n1,2\n3\n' >ragged.csv
run check ragged.csv ok.csv
refused 1 "ragged.csv: row 3 has 1 field, but the header has 2"
printf 'a,b\n1;2\n3;4\n' >mixed.csv
run check mixed.csv ok.csv
refused 1 "mixed.csv: row 2"
printf 'a,c\n1,2\n3,4\n' >other.csv
run check ok.csv other.csv
refused 1 "'b'"
err_has "'c'"
run check graph.csv ok.csv
refused 1 "graph.csv: row 2, column 1 ('source'): 'a' is not a number"
printf '\037\213not gzip at all' >broken.csv.gz
run check broken.csv.gz ok.csv
yes "broken gzip is refused" test "$code" -eq 1 -o "$code" -eq 3
err_has "broken.csv.gz"
head -c 2000 /dev/zero >zeros.csv
run check zeros.csv ok.csv
refused 1 zeros.csv
run check ok.csv --regime arm
refused 1 "ok.csv: there is no column 'arm'; the columns are: a, b"
printf 'a,b\n1,2\n,4\n5,inf\n' >na.csv
run check na.csv ok.csv --na error
refused 1 "na.csv: row 3, column 1 ('a'): the cell is missing"
run check na.csv ok.csv
code_is 1
out_has "missing"
out_has "refused"
run check na.csv ok.csv --na drop
err_has "scone: note: na.csv: removed 2 of 3 rows"
out_has "2 columns; 1 row in regime 0, 3 in regime 1"
run check na.csv ok.csv --na drop --quiet
err_empty
# the reader and the preflight name the same row, whatever stands before it
printf '\na,b\n\n1,2\n\n\n3,NA\n5,1\n6,NA\n' >blank.csv
run check blank.csv ok.csv --na error
refused 1 "blank.csv: row 7, column 2 ('b'): the cell is missing"
run check blank.csv ok.csv -q
code_is 1
out_has "'b' has 2 missing cells (regime 0: 2 of 4 rows, first in row 7)"
awk -v OFS=, 'BEGIN { print "a,b,arm"; for (i = 2; i <= 241; i++)
    print (i == 50 ? "NA" : (i * 7) % 31), (i == 121 ? 1e6 : (i * 13) % 37 + i / 1000), i % 2 }' >arms.csv
run check arms.csv --regime arm -q
out_has "'a' has 1 missing cell (regime 0: 1 of 120 rows, first in row 50)"
out_has "'b' is 1000000 in row 121 of regime 1"
run check arms.csv --regime arm -q --na drop
out_has "'b' is 1000000 in row 121 of regime 1"
# many findings of one kind are one
awk 'BEGIN { for (j = 0; j < 12; j++) printf "c%d%s", j, j < 11 ? "," : "\n"
    for (i = 0; i < 200; i++) for (j = 0; j < 12; j++) printf "%d%s", (i * (j + 3) + i * i % 7) % 3, j < 11 ? "," : "\n" }' >levels.csv
awk 'NR == 1 { print; next } { line[NR] = $0 } END { for (i = NR; i > 101; i--) print line[i] }' levels.csv >fewer.csv
run check levels.csv fewer.csv -q
is "one line for twelve" "$(grep -c '^warning: discrete-column' "$box/out")" 1
out_has "warning: discrete-column: 12 columns: c0, c1, c10, c11, c2, c3, c4, c5 and 4 more"
out_has "    The first of them: 'c0' takes 3 distinct values in 300 rows"
out_has "--json lists every finding of a group."
run check levels.csv fewer.csv -q --json
is "all of them in JSON" "$(grep -c '"discrete-column"' "$box/out")" 12
# an empty regime is looked at, reported, and would be refused
printf 'a,b\n' >header.csv
run check header.csv ok.csv -q
code_is 1
out_has "0 rows in regime 0, 3 in regime 1"
run check header.csv ok.csv -q --json
code_is 1
out_has '"ok":	false'
out_has '"severity":	"error"'

# ---- graphs ----
run eval nowhere graph.csv
refused 3 "nowhere: no such file or folder"
run eval graph.csv nowhere
refused 3 "nowhere: no such file or folder"
run eval folder graph.csv
refused 1 "folder: there is no graph in this folder"
run eval empty.csv graph.csv
refused 1 "empty.csv: the file is empty"
run eval text.csv graph.csv
code_is 1
err_has text.csv
printf 'source,target\nu,v\n' >strangers.csv
run eval strangers.csv graph.csv
refused 1 "strangers.csv and graph.csv have no node name in common (for example 'u' and 'a')"
# names that one side has and the other, which lists every node, lacks; graph.csv is an edge list
printf ',Gene1,Gene2,Gene3\nGene1,0,1,0\nGene2,0,0,1\nGene3,0,0,0\n' >genes.csv
printf ',Gene1,Gene2,Gen3\nGene1,0,1,0\nGene2,0,0,1\nGen3,0,0,0\n' >spelled.csv
run eval spelled.csv genes.csv
refused 1 "spelled.csv has 'Gen3', which genes.csv lacks; did you mean 'Gene3' instead of 'Gen3'? compare graphs over the same variables"
printf 'source,target\nGene1,Gen2\n' >listed.csv
run eval genes.csv listed.csv
refused 1 "listed.csv has 'Gen2', which genes.csv lacks; did you mean 'Gene2' instead of 'Gen2'?"
printf ',Gene1,P,Q,R,S,T\nGene1,0,1,1,1,1,1\nP,0,0,0,0,0,0\nQ,0,0,0,0,0,0\nR,0,0,0,0,0,0\nS,0,0,0,0,0,0\nT,0,0,0,0,0,0\n' >other.csv
run eval other.csv genes.csv
refused 1 "other.csv has 'P', 'Q', 'R' and 2 more, which genes.csv lacks; compare graphs"
sed 's/0,1,1,1,1,1/0,.5,0,0,0,0/' other.csv >probable.csv
run eval genes.csv genes.csv -p probable.csv
refused 1 "probable.csv has 'P', 'Q', 'R' and 2 more, which genes.csv lacks"
printf 'source,target\nGene1,Gene3\n' >listed2.csv
run eval listed.csv listed2.csv
refused 1 "listed.csv has 'Gen2', which listed2.csv lacks, and lacks 'Gene3'; did you mean 'Gene3' instead of 'Gen2'?"
err_has "and list nodes without edges, too (in an edge list with an empty target)"
# fewer nodes in an edge list are nodes without edges; with a line for one it lists them all
run eval genes.csv listed2.csv
code_is 0
out_has "SHD 3: 1 missing, 2 extra"
err_has "note: in 1 of 1 comparisons one side has nodes that the other does not name (genes.csv: 1); they count as nodes without edges there"
run eval listed2.csv genes.csv
code_is 0
out_has "SHD 3: 2 missing, 1 extra"
err_has "1 of 1 comparisons"
printf 'source,target\nGene1,Gene3\nGene4,\n' >listed3.csv
run eval genes.csv listed3.csv
refused 1 "genes.csv has 'Gene2', which listed3.csv lacks; did you mean 'Gene4' instead of 'Gene2'?"
printf 'source,target\nGene1,Gene3\nGene2,\n' >listed3.csv
run eval genes.csv listed3.csv
code_is 0
echo "CLOSING LINE" | err_is
run eval graph.csv graph.csv -p ok.csv
refused 1 "ok.csv: 3 rows under 1 names"
run eval graph.csv graph.csv --probabilities nowhere.csv
refused 3 "nowhere.csv"
mkdir -p many/g0 many/g1 fewer/g0
cp graph.csv many/g0 && cp graph.csv many/g1 && cp graph.csv fewer/g0
mkdir fewer/g7 && cp graph.csv fewer/g7
run eval fewer many
refused 1 "fewer has g7, but many has no graph of that name; every graph needs a partner"
mkdir many/g7 && cp graph.csv many/g7
run eval fewer many
refused 1 "many has g1, but fewer has no graph of that name"
run eval graph.csv many
refused 1 "graph.csv holds one graph and many holds many graphs; name the one to compare with, for example many/g0/graph.csv"
printf 'variable,target\na,maybe\n' >many/g0/targets.csv
run eval many/g0 many/g0
refused 1 "many/g0/targets.csv: row 2, column 'target': 'maybe' is neither 1 nor 0"
# what a list of targets names must be a node, on both sides; it need not name all
for side in found true; do
    for g in g0 g1; do
        mkdir -p "$side/$g"
        cp genes.csv "$side/$g/graph.csv"
        printf 'variable,target\nGene2,1\n' >"$side/$g/targets.csv"
    done
done
printf 'variable,target\nGene1,0\nGene2,1\nGene3,0\n' >true/g1/targets.csv
run eval found true --json -q
code_is 0
out_has '	"target_f1":	1'
printf 'variable,target\nGene1,1\nGen3,1\n' >found/g1/targets.csv
run eval found true
refused 1 "found/g1/targets.csv has 'Gen3', which true/g1/graph.csv lacks; did you mean 'Gene3' instead of 'Gen3'? name variables as the graphs name their nodes"
run eval true found
refused 1 "found/g1/targets.csv has 'Gen3', which found/g1/graph.csv lacks; did you mean"
run eval found/g1 true/g1
refused 1 "found/g1/targets.csv has 'Gen3'"
cp listed2.csv found/g1/graph.csv && cp listed2.csv true/g1/graph.csv # edge lists without a word on Gene2
run eval found/g1 true/g1
refused 1 "found/g1/targets.csv has 'Gen3', which is no node of found/g1/graph.csv or true/g1/graph.csv; did you mean 'Gene3'"
err_has "and list nodes without edges there, too (in an edge list with an empty target)"
printf 'variable,target\nGene1,0\nGene2,1\n' >found/g1/targets.csv # in both lists: a node without edges
run eval found true -q
code_is 0

# ---- settings and output ----
run simulate ood-20-21 -o new
refused 1 "there is no setting 'ood-20-21'; use one of indist-20-20, ood-20-20"
run simulate nowhere.json -o new
refused 3 "nowhere.json: cannot open"
run simulate ./ok.csv -o new
refused 1 "./ok.csv"
run simulate ./folder -o new
refused 3 "./folder"
run simulate ood-20-20 --count 1 -o ok.csv
refused 3 "ok.csv: is a file; the output needs a folder"
run simulate ood-20-20 --count 1 -o ok.csv/new
refused 3 "ok.csv: cannot list the folder: Not a directory"
run simulate ood-20-20 --count 1 -o nowhere/new
refused 3 "nowhere/new: cannot create the folder: No such file or directory"
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 500 locked
    run simulate ood-20-20 --count 1 -o locked/new
    refused 3 "locked/new: cannot create the folder: Permission denied"
    printf 'a,b\n1,2\n' >secret.csv && chmod 000 secret.csv
    run check secret.csv ok.csv
    refused 3 "secret.csv: cannot open: Permission denied"
fi

# ---- trouble with the disk ----
last="simulate with files limited to 4 KiB"
(ulimit -f 4 && "$scone" simulate ood-20-20 --count 2 -o limited >"$box/out" 2>"$box/err")
code=$?
refused 3 "cannot write: File too large"
yes "no partial output" test ! -e limited
for command in "--version" "help" "help eval" "simulate --list" "eval graph.csv graph.csv" \
    "eval graph.csv graph.csv --json" "check ok.csv ok2.csv"; do
    last="scone $command >/dev/full"
    "$scone" $command >/dev/full 2>"$box/err"
    code=$?
    code_is 3
    is "message" "$(cat "$box/err")" \
        "scone: error: cannot write to standard output: No space left on device"
    last="scone $command >&-"
    "$scone" $command >&- 2>"$box/err"
    code=$?
    code_is 3
    is "message" "$(cat "$box/err")" "scone: error: cannot write to standard output: Bad file descriptor"
done
last="a reader that goes away"
(
    trap '' PIPE
    "$scone" help 2>"$box/err"
    echo $? >"$box/code"
) | true
yes "exit 0 or 3, not a signal" grep -qxE '0|3' "$box/code"
last="all standard files closed"
"$scone" simulate ood-20-20 --count 1 --samples 5 -o closed <&- >&- 2>&-
is "exit" $? 3
is "nothing printed into the outputs" "$(head -n 1 closed/g0/graph.csv)" "source,target"

# ---- stopped ----
last="simulate, stopped by a signal"
"$scone" simulate ood-100-100 --samples 20000 --threads 1 -o stopped >"$box/out" 2>"$box/err" &
process=$!
for _ in $(seq 200); do
    [ -n "$(find . -maxdepth 1 -name 'stopped*')" ] && break
    sleep 0.05
done
kill -TERM $process
wait $process
is "ends with the signal" $? 143
is "says so" "$(cat "$box/err")" "scone: stopped; nothing was written"
yes "no output" test ! -e stopped

# ---- no memory (a limit that the sanitizers cannot work under) ----
if (ulimit -v 1000000 && "$scone" --version) >/dev/null 2>&1; then
    last="simulate in little memory"
    (ulimit -v 1000000 && "$scone" simulate --nodes 100 --edges 100 --samples 10000000 --threads 1 \
        -o memory >"$box/out" 2>"$box/err")
    code=$?
    refused 4 "out of memory"
    yes "no output" test ! -e memory
fi
finish
