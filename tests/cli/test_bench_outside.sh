#!/usr/bin/env bash
# scone bench --method: commands as methods. What works is scored, what does not is a row with a reason, nothing of a
# command outlives it, and the folders are gone.
. "$(dirname "$0")/lib.sh"
mkdir place
export TMPDIR=$box/work/place
small="--nodes 4 --edges 4 --samples 20 --seed 2"
cell() { sed -n "$2p" "$1" | python3 -c 'import csv, sys; print(next(csv.reader(sys.stdin))[int(sys.argv[1]) - 1])' "$3"; }
fared() { echo "$(cell "$1" "$2" 35): $(cell "$1" "$2" 36)"; } # FILE ROW
gone() { ! grep -qs '^State:.[^Z]' "/proc/$(cat pid)/status"; } # ended, or ended and not yet waited for
edges='echo source,target,kind >$2/edges.csv'

# ---- what it is given, and how its answer is scored ----
cat >right.sh <<'X'
ls "$1" | tr '\n' ' ' >>"$3/seen"
head -n 1 "$1/obs.csv" "$1/int.csv" | grep -c '^X0,X1,X2,X3$' >>"$3/seen"
wc -l <"$1/obs.csv" >>"$3/seen"
[ -e "$1/targets.csv" ] && cp "$1/targets.csv" "$3/targets.csv"
cp "$3/sim/g0/graph.csv" "$2/edges.csv"
echo '{"seconds": 12.5}' >"$2/run.json"
X
run simulate custom $small --count 1 -o sim -q
run bench custom $small --count 1 --method right="sh right.sh \$1 \$2 '$PWD'" --method "none=$edges; true" -o b.csv
code_is 0
is "the table" "$(sed -n '2,$p' "$box/out" | cut -d' ' -f1 | tr '\n' ' ')" "method right none "
is "its files" "$(cat seen)" "$(printf 'int.csv obs.csv 2\n21')"
is "the true graph has no error" "$(cell b.csv 2 14)" 0
is "its seconds are those that it tells" "$(cell b.csv 2 32)" 12.5
is "no probabilities, no targets: no such scores" "$(sed -n 2p b.csv | cut -d, -f28-31)" ",,,"
is "it went well" "$(fared b.csv 2)" "ok: "
is "no edges: all are missing" "$(cell b.csv 3 14)" "$(cell b.csv 3 19)"
yes "seconds without run.json" test "$(cell b.csv 3 32)" != ""
is "the command is part of the row" "$(cut -d, -f33 b.csv | tail -n +2 | grep -cE '^[0-9a-f]{16}$')" 2
yes "not told the targets" test ! -e targets.csv
run bench custom $small --count 1 --method right="sh right.sh \$1 \$2 '$PWD'" --tell-targets right -o t.csv -q
code_is 0
is "the targets" "$(cat targets.csv)" \
    "$(echo variable; sed -n 's/,1$//p' sim/g0/targets.csv)"
yes "with the targets it is another method" test "$(cell t.csv 2 33)" != "$(cell b.csv 2 33)"
run bench custom $small --count 1 --methods empty --method "none=$edges; true" -q
code_is 0
is "own methods come first" "$(sed -n '3,$p' "$box/out" | cut -d' ' -f1 | tr '\n' ' ')" "empty none "
# the folders follow a command that does not say where they go
printf '#!/bin/sh\necho source,target >"$2/edges.csv"\n[ $# = 2 ] && [ -e "$1/obs.csv" ]\n' >follows
chmod +x follows
run bench custom $small --count 1 --method follows=./follows -o f.csv -q
is "arguments follow" "$(fared f.csv 2)" "ok: "

# ---- what fails ----
wrong() { # WHAT COMMAND STATUS-AND-REASON [LIMIT]
    run bench custom $small --count 1 --method "it=$2" --time-limit "${4:-300}" -o w.csv --force
    code_is 0
    is "$1" "$(fared w.csv 2)" "$3"
    is "$1: no scores" "$(sed -n 2p w.csv | cut -d, -f14-31)" ",,,,,,,,,,,,,,,,,"
    out_has "0 of 1 (1 ${3%%:*})"
}
wrong "exit code" 'exit 3 #$1' "failed: exit code 3"
err_has "custom, graph 0: it failed: exit code 3"
wrong "its last words" 'echo first >&2; echo; echo " why, \"so\" " >&2; echo >&2; exit 1 #$1' 'failed: why, "so"'
wrong "a signal" 'kill -9 $$ #$1' "failed: ended by signal 9"
run bench custom $small --count 1 --method it=./nowhere -o w.csv --force -q
has "no program" w.csv "nowhere: not found"
wrong "no answer" 'true' "failed: it wrote no edges.csv"
wrong "a pipe" 'mkfifo $2/edges.csv' "failed: it wrote no edges.csv"
wrong "nonsense" 'head -c 300 /dev/urandom >$2/edges.csv; echo bad,header >$2/edges.csv' \
    'failed: edges.csv: row 1: the header of an edge list needs the columns source and target (or from and to), it has "bad" first'
wrong "an unknown name" "$edges; echo X0,Z9,directed >>\$2/edges.csv" \
    "failed: its graph has the node 'Z9', which the tables do not have"
wrong "both directions" "$edges; echo X0,X1,directed >>\$2/edges.csv; echo X1,X0,directed >>\$2/edges.csv" \
    'failed: edges.csv: row 2 has "X0" -> "X1", but row 3 has "X1" -> "X0"; keep one of the two'
wrong "bad seconds" "$edges; echo '{\"seconds\": -1}' >\$2/run.json" 'failed: its run.json is not {"seconds": S}'
wrong "much standard error" 'yes | head -c 3000000 >&2; yes | head -c 3000000; printf "%01000d" 7 >&2; exit 1 #$1' \
    "failed: $(printf '%0190d' 0)"
wrong "a hang" 'sleep 600 #$1' "timeout: more than 0.5 seconds" 0.5
err_has "custom, graph 0: it took too long: more than 0.5 seconds"
wrong "a hang that will not end" 'trap "" TERM; echo $$ >'"$PWD"'/pid; while :; do sleep 0.1; done #$1' \
    "timeout: more than 0.5 seconds" 0.5
yes "it is gone" gone
# a cycle is a graph like any other here
run bench custom $small --count 1 --method "ring=$edges; printf 'X0,X1,directed\nX1,X2,directed\nX2,X0,directed\n' >>\$2/edges.csv" \
    -o r.csv -q
is "a cycle" "$(fared r.csv 2)" "ok: "
is "its edges" "$(cell r.csv 2 20)" 3
# what a command leaves running ends with it
run bench custom $small --count 1 --method "leaves=sleep 601 & echo \$! >'$PWD/pid'; $edges" -o l.csv -q
is "it went well" "$(fared l.csv 2)" "ok: "
sleep 0.2
yes "nothing of it is left" gone

# ---- rows: kept, run again on request, left out of the means ----
cat >twice.sh <<'X'
echo "$1" >>"$3/runs"
[ "$(wc -l <"$3/runs")" = 2 ] && exit 7
echo source,target >"$2/edges.csv"
X
twice="twice=sh twice.sh \$1 \$2 '$PWD'"
run bench custom $small --count 3 --methods empty --method "$twice" -o b.csv --force
code_is 0
is "the second failed" "$(cut -d, -f35 b.csv | tail -n +2 | tr '\n' ' ')" "ok ok ok failed ok ok "
out_has "2 of 3 (1 failed)"
out_has "3 of 3"
cp b.csv before.csv
run bench custom $small --count 3 --methods empty --method "$twice" -o b.csv --resume --json -q
code_is 0
out_has '"failed":	1'
is "a failure is kept" "$(cat b.csv)" "$(cat before.csv)"
is "and not run again" "$(wc -l <runs)" 3
run bench custom $small --count 3 --methods empty --method "$twice" -o b.csv --resume --retry -q
code_is 0
is "run again, it works" "$(cut -d, -f10,35 b.csv | tail -n +2 | tr '\n' ' ')" \
    "empty,ok twice,ok empty,ok twice,ok empty,ok twice,ok "
is "once" "$(wc -l <runs)" 4
run bench custom $small --count 3 --method "$twice " -o b.csv --resume -q
is "another text is another method" "$(wc -l <b.csv)" 10
run bench custom $small --count 3 --method "$twice " -o b.csv --resume -q --effort fast --max-parents 2
is "options of discovery do not reach it" "$(wc -l <b.csv)" 10
sed '5s/,failed,/,broken,/' before.csv >x.csv
run bench custom $small --count 1 --methods empty -o x.csv --resume
refused 1 "x.csv: row 5: the status is not ok, failed or timeout"
cut -d, -f1-34 before.csv >x.csv # a file of before these columns
run bench custom $small --count 4 --methods empty -o x.csv --resume -q
is "older rows went well" "$(fared x.csv 2)" "ok: "

# ---- a stop ends the command and leaves nothing ----
"$scone" bench custom $small --count 1 --method "slow=echo \$\$ >'$PWD/pid'; sleep 602 #\$1" -q 2>"$box/err" &
stopped=$!
rm -f pid
for _ in $(seq 400); do [ -s pid ] && break; sleep 0.05; done
kill -INT $stopped 2>/dev/null
kill -TERM $stopped # a shell without job control lets its children ignore the first
wait $stopped
code=$?
last="a stop"
yes "the exit code tells it" test $code -ne 0
yes "the command is gone" gone

# ---- refused ----
run bench custom $small --method nothing
refused 2 "--method: 'nothing' is not NAME=COMMAND"
run bench custom $small --method x=
refused 2 "--method: 'x=' is not NAME=COMMAND"
run bench custom $small --method 'a b=true'
refused 1 "'a b' cannot name a method"
run bench custom $small --method ges=true
refused 1 "'ges' is a method of scone; give the command another name"
run bench custom $small --method a=true --method a=false
refused 1 "two commands are named 'a'; give each its own name"
run bench custom $small --method a=true --tell-targets b
refused 2 "--tell-targets: 'b' is no NAME of a --method"
run bench custom $small --methods empty --time-limit 3
refused 2 "--time-limit goes with --method NAME=COMMAND"
run bench custom $small --method a=true --time-limit 0
refused 2 "--time-limit: '0' is not a number from 0.001"
run bench custom $small --method a=true --retry
refused 2 "--retry goes with --resume"
TMPDIR=$box/work/nowhere run bench custom $small --method a=true
refused 3 "cannot make a folder in $box/work/nowhere"

# ---- the peers of the project ----
if [ -e "$source_dir/bench/peers/peer.py" ]; then
    peer=$source_dir/bench/peers/peer.py
    run bench custom $small --count 1 --method empty2="'$peer' empty" --time-limit 60 -o p.csv -q
    is "the peer without edges" "$(fared p.csv 2)" "ok: "
    is "finds none" "$(cell p.csv 2 20)" 0
    run bench custom $small --count 1 --method no="'$peer' nobody" -o p.csv -q --force
    has "a peer that is not there" p.csv 'failed,"peer.py: there is no peer nobody; the peers are '
    "$peer" --list >peers
    is "every peer says what it is told" "$(grep -c 'does not say' peers)" 0
    while IFS=$'\t' read -r name state told; do # those whose environment is there
        [ "$state" = ready ] && [ "$name" != empty ] || continue
        tell=""
        case $told in *"true targets"*) tell="--tell-targets $name" ;; esac
        run bench custom --nodes 5 --edges 5 --samples 200 --seed 2 --count 1 --method "$name='$peer' $name" $tell \
            --time-limit 300 -o "peer.csv" -q --force
        is "the peer $name" "$(fared peer.csv 2)" "ok: "
    done <peers
fi
is "no folder is left" "$(entries place)" ""
finish
