#!/usr/bin/env bash
# What happens around a run - limits, devices, other runs, files that go or change, signals - costs no
# result and changes none in silence. Kills and failing calls at every place are in tests/faults.
# SCONE_SOAK=1 tries more limits, and stops runs of 5,000 columns.
. "$(dirname "$0")/lib.sh"
"$scone" simulate custom --nodes 5 --edges 5 --samples 200 -o sim -q --seed 3 >/dev/null
cp sim/g0/obs.csv sim/g0/int.csv .
fast=(-p ges -b 0 --threads 1 -q)

# within SECONDS ARGS...: as run, but killed after so long, which fails the test.
within() {
    local seconds=$1
    shift
    last="scone $*"
    timeout -s KILL "$seconds" "$scone" "$@" >"$box/out" 2>"$box/err" </dev/null
    code=$?
    if [ $code -eq 137 ]; then fail "did not end"; else pass; fi
}

# ---- little memory ----
limits="50000 60000 80000 150000 210000 300000 500000"
[ -z "${SCONE_SOAK:-}" ] || limits=$(seq 20000 10000 500000)
if [ -n "${SCONE_SLOW:-}" ]; then limits=""; fi # sanitizers need terabytes of addresses
for limit in $limits; do
    for command in "check obs.csv int.csv" "discover obs.csv int.csv -o small -p ges -b 2" "simulate custom --nodes 3 --edges 2 -o made --force" \
        "eval sim sim"; do
        last="ulimit -v $limit: $command"
        (ulimit -v "$limit"; timeout -s KILL 60 "$scone" $command >/dev/null 2>"$box/err")
        code=$?
        case $code in
        0) pass ;;
        4) err_has "out of memory" ;;
        127) err_has "error while loading shared libraries" ;; # the program itself has no room
        *) fail "exit $code" "$(head -n 3 "$box/err")" ;;
        esac
    done
done
rm -rf small made

# ---- small files that become large, devices, pipes ----
head -c 50000000 /dev/zero | tr '\0' '1' | sed 's/1\{10\}/1,2\n/g' | { echo a,b; cat; } | gzip >bomb.csv.gz
within 120 check bomb.csv.gz bomb.csv.gz --memory 20M
code_is 4
err_has "the limit is 20.0 MB"
npy() { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($1), }"; }
npy "0, 100000000" >wide.npy
within 60 check wide.npy wide.npy
code_is 1
err_has "at most 1000000 are possible"
npy "0, 900000" >empty.npy
within 60 discover empty.npy empty.npy -o none "${fast[@]}"
code_is 1
err_has "the array has no rows"
within 60 check /dev/zero /dev/zero --memory 300M
code_is 1
err_has "NUL bytes"
mkfifo silent
within 60 check silent int.csv
code_is 3
err_has "silent: no program writes to this pipe"
rm silent
run check obs.csv int.csv --memory lots
code_is 2
err_has "--memory: 'lots' is no size"

# ---- what changes during a run ----
# begin NAME ARGS...: starts a discovery that waits for its second table, the pipe NAME.
begin() {
    local name=$1
    shift
    mkfifo "$name"
    last="scone discover obs.csv $name $*"
    "$scone" discover obs.csv "$name" "$@" "${fast[@]}" >"$box/out" 2>"$box/err" &
    waiting=$!
    exec 9>"$name" # returns when the table is opened, after the first one was read
}
# end NAME: gives it the table and waits; the exit code is in code.
end() {
    cat int.csv >&9
    exec 9>&-
    wait $waiting
    code=$?
    rm "$1"
}

cp obs.csv first.csv
size=$(wc -c <obs.csv)
begin pipe -o replaced
printf 'a,b\n1,2\n' >other.csv
mv other.csv obs.csv
end pipe
code_is 0
yes "size of what was read" grep -q "\"path\": \"obs.csv\", \"bytes\": $size," replaced/run.json
if command -v xxhsum >/dev/null; then
    yes "hash of what was read" grep -q "\"xxh64\": \"$(xxhsum -H1 first.csv | cut -d' ' -f1)\"" replaced/run.json
fi
cp first.csv obs.csv
begin pipe -o deleted
rm obs.csv
end pipe
code_is 0
yes "the result is there" test -e deleted/run.json
cp first.csv obs.csv

mkdir parent
begin pipe -o parent/result
rm -r parent
end pipe
code_is 3
err_has "the result is in result.saved-1 instead"
yes "it is whole" cmp -s deleted/edges.csv result.saved-1/edges.csv
is "with all files" "$(ls result.saved-1 | wc -l)" 8
rm -rf result.saved-1

begin pipe -o shared
run discover obs.csv int.csv -o shared "${fast[@]}" --force
code_is 1
err_has "another run is going to write there"
end pipe
code_is 0
yes "the first run has the place" test -e shared/run.json

ln -s nowhere dangling
run discover obs.csv int.csv -o dangling "${fast[@]}"
code_is 3
err_has "dangling: is a link that leads nowhere"
mkdir real && ln -s real link
run discover obs.csv int.csv -o link "${fast[@]}"
code_is 0
yes "through a link" test -e real/run.json -a -L link

# ---- folders of others ----
mkdir -p foreign/graph.dot && echo '{"runs": 1}' >foreign/run.json && echo mine >foreign/edges.csv && echo mine >foreign/graph.dot/diary
cp -r foreign before
run discover obs.csv int.csv -o foreign "${fast[@]}"
code_is 1
run discover obs.csv int.csv -o foreign "${fast[@]}" --force
code_is 1
err_has "foreign/graph.dot: is a folder"
yes "untouched" diff -r foreign before
echo mine >sim/g0/notes
run simulate custom --nodes 5 --edges 5 --samples 20 -o sim -q
code_is 1
err_has "sim: holds g0/notes"
sed 's/  "format": "scone-result",//' shared/run.json >old.json && mv old.json shared/run.json
run discover obs.csv int.csv -o shared "${fast[@]}" # as an earlier version wrote it
code_is 0

# ---- what a killed run left ----
mkdir left left.scone-tmp-1-0 left/.scone-tmp-2-0 left/.scone-tmp-2-0/.old
cp deleted/* left/.scone-tmp-2-0/.old
run discover obs.csv int.csv -o left -p ges -b 0 --threads 1
code_is 0
err_has "left.scone-tmp-1-0: removed what a killed run had left"
err_has "left: an earlier run was killed while it replaced the files of another; those are back"
is "nothing else is there" "$(ls -A left | wc -l)" 8

# ---- permissions, full outputs, names ----
chmod 700 left && chmod 600 left/edges.csv
run discover obs.csv int.csv -o left "${fast[@]}"
is "permissions stay" "$(stat -c %a left)" 700
run verify --nodes 3 -o v.csv -q
code_is 0
chmod 600 v.csv
run verify --nodes 3 -o v.csv -q
code_is 1
err_has "v.csv: is there already"
run verify --nodes 3 -o v.csv -q --force
code_is 0
is "also of files" "$(stat -c %a v.csv)" 600
last="scone discover >/dev/full"
"$scone" discover obs.csv int.csv -o full "${fast[@]}" >/dev/full 2>"$box/err"
is "exit code" $? 3
err_has "the result is in full"
yes "and it is" test -e full/run.json
printf 'a\033[2Jb,\xe2\x80\xaec\n1,2\n2,1\n' >escape.csv
run check escape.csv int.csv
code_is 1
is "no control characters" "$(LC_ALL=C tr -d '\040-\176\n' <"$box/err" | wc -c)" 0
yes "the page runs nothing" grep -q "default-src 'none'" full/report.html

# ---- stopping ----
# stop SECONDS SIGN ARGS...: SIGTERM so long after a file with the name SIGN is there; the run must end by it.
stop() {
    local seconds=$1 sign=$2 pid
    shift 2
    last="scone $* stopped after $seconds s"
    "$scone" "$@" >"$box/out" 2>"$box/err" &
    pid=$!
    until compgen -G "$sign" >/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
    sleep "$seconds"
    kill -TERM $pid
    (sleep "${SCONE_PATIENCE:-60}" && kill -KILL $pid) 2>/dev/null &
    wait $pid
    code=$?
    kill $! 2>/dev/null
    is "ended by the signal" $code 143
}
columns=300
[ -z "${SCONE_SOAK:-}" ] || columns=5000
awk -v n=$columns 'BEGIN { srand(1); for (r = 0; r < 2; r++) { file = r ? "wide_int.csv" : "wide_obs.csv"
    for (i = 0; i <= 20; i++) { line = ""; for (j = 0; j < n; j++) line = line (j ? "," : "") (i ? rand() : "x" j)
        print line >file } } }'
times=1
[ -z "${SCONE_SOAK:-}" ] || times="1 5 20 60"
for preset in ges polybic; do
    for time in $times; do stop "$time" "wide.scone-tmp-*" discover wide_obs.csv wide_int.csv -o wide -p $preset -b 100000 -q; done
    is "says so" "$(tail -n 1 "$box/err")" "scone: stopped; nothing was written"
done
stop 0 rows.csv bench custom --nodes 5 --edges 5 --samples 100 --count 100000 --methods empty -o rows.csv -q
err_has "scone: stopped; the rows of finished graphs are kept; go on with --resume -o rows.csv"
finish
