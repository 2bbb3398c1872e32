#!/usr/bin/env bash
# Fails the k-th allocation and the k-th file operation of every command, k = 1, 2, ... until the
# command succeeds, and checks: the right exit code with a message, no crash and no leak (the
# sanitizer build), no partial or temporary file, an earlier output intact.
# Usage: test_faults.sh SCONE_FAULTS SOURCE_DIR [PART PARTS]: the commands whose number is PART modulo PARTS
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SCONE_FAULT_REPORT="$work/report"
# A thread pool that stays is no leak; what our code forgets is.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}
passed=0
failed=0
part=${3:-0}
parts=${4:-1}
commands=0
# The everyday run takes every k up to this and then samples; the long run takes all.
dense=${SCONE_SOAK:+1000000}
dense=${dense:-${SCONE_FAULT_DENSE:-60}}
stride=${SCONE_FAULT_STRIDE:-47}

complain() {
    failed=$((failed + 1))
    echo "FAILED: $*"
    sed 's/^/    /' "$work/stderr" | head -n 12
    rm -rf "$work/box"
}

# The box after the command has run without a fault, to compare with.
make_whole() {
    rm -rf "$work/whole"
    cp -r "$work/start" "$work/whole"
    (cd "$work/whole" && exec "$program" "$@" >/dev/null 2>"$work/stderr")
}

# Is the box what it is after a run without a fault? Times differ in run.json and in what bench and train
# write, so of these only the names are compared.
same_as_whole() {
    local skip=(-x run.json)
    case $1 in bench* | train*) skip+=(-x '*.csv' -x '*.safetensors') ;; esac
    (cd "$work/box" && find . | sort) >"$work/names_box"
    (cd "$work/whole" && find . | sort) >"$work/names_whole"
    diff "$work/names_whole" "$work/names_box" >"$work/difference" && diff -r "${skip[@]}" "$work/whole" "$work/box" \
        >"$work/difference" 2>&1
}

# leave NAME KIND COMMAND...: the command is killed after its k-th change on the disk (kill), or all calls from
# the k-th on fail (from). A folder with its marker is then whole, old or new, and the same command run again
# puts everything in order: what is there then is what is there after a run without a fault.
leave() {
    local name=$1 kind=$2 k=0 step=1 code
    shift 2
    make_whole "$@" || { complain "$name: does not run without a fault"; return; }
    while :; do
        k=$((k + step))
        [ $k -gt "$dense" ] && step=$stride
        if [ $k -gt 200000 ]; then complain "$name $kind: no end in sight"; return; fi
        rm -rf "$work/box"
        cp -r "$work/start" "$work/box"
        : >"$work/report"
        (cd "$work/box" && SCONE_FAULT=$kind:$k "$program" "$@" >"$work/stdout" 2>"$work/stderr"; exit $?) 2>/dev/null
        code=$?
        [[ $(<"$work/report") == quiet* ]] && break
        if [ $kind = kill ] && [ $code -ne 137 ]; then complain "$name kill:$k: exit $code"; return; fi
        if [ $kind = from ] && [ $code -ne 3 ] && [ $code -ne 0 ]; then complain "$name from:$k: exit $code"; return; fi
        if ! whole_or_old; then complain "$name $kind:$k: a mixture of old and new"; return; fi
        rm -rf "$work/box/"*.saved-[0-9]*
        if ! (cd "$work/box" && exec "$program" "$@" >/dev/null 2>"$work/stderr"); then
            complain "$name $kind:$k: the next run fails"; return
        fi
        rm -f "$work/box"/*.tmp-[0-9]* # unfinished single files stay
        if ! same_as_whole "$name"; then
            complain "$name $kind:$k: after the next run $(head -n 5 "$work/difference")"; return
        fi
    done
    rm -rf "$work/box"
    passed=$((passed + 1))
    echo "ok $name $kind: $k tries"
}

# Every result folder of the box that has a run.json is that of the start or that of the end.
whole_or_old() {
    local folder marker
    for marker in "$work/box"/*/run.json; do
        [[ -e $marker && $marker != *.scone-tmp-* ]] || continue
        folder=$(basename "$(dirname "$marker")")
        diff -r -x run.json -x '.scone-*' "$work/start/$folder" "$work/box/$folder" >/dev/null 2>&1 ||
            diff -r -x run.json -x '.scone-*' "$work/whole/$folder" "$work/box/$folder" >/dev/null 2>&1 || return 1
    done
}

# walk NAME KIND OUTPUT COMMAND...: OUTPUT is "" or a path, relative to the box, that must appear
# whole or not at all. The box is a copy of the start folder, made anew only when it changed.
walk() {
    local name=$1 kind=$2 output=$3 k=0 step=1 code state message saved
    shift 3
    make_whole "$@" || { complain "$name: does not run without a fault"; return; }
    while :; do
        k=$((k + step))
        [ $k -gt "$dense" ] && step=$stride
        if [ $k -gt 200000 ]; then complain "$name $kind: no end in sight"; return; fi
        [ -d "$work/box" ] || cp -r "$work/start" "$work/box"
        : >"$work/report"
        (cd "$work/box" && SCONE_FAULT=$kind:$k exec "$program" "$@" >"$work/stdout" 2>"$work/stderr")
        code=$?
        state=$(<"$work/report")
        message=$(<"$work/stderr")
        case "$state" in
        quiet*)
            if [ $code -ne 0 ]; then complain "$name $kind:$k: exit $code without a fault"; return; fi
            break ;;
        fired*) ;;
        *) complain "$name $kind:$k: crashed (exit $code)"; return ;;
        esac
        if [[ $message == *Sanitizer* ]]; then complain "$name $kind:$k: sanitizer report"; return; fi
        if [ $kind = short ]; then
            if [ $code -ne 0 ]; then complain "$name short reads: exit $code"; return; fi
            [ $k -ge 3 ] && break
            rm -rf "$work/box"
            continue
        fi
        if [ $code -eq 0 ]; then # a failure that may be overlooked, such as closing a file that was read
            if ! same_as_whole "$name"; then complain "$name $kind:$k: exit 0, but $(head -n 5 "$work/difference")"; return; fi
            rm -rf "$work/box"
            continue
        fi
        if { [ $kind = alloc ] && [ $code -ne 4 ]; } || { [ $kind = io ] && [ $code -ne 3 ]; }; then
            complain "$name $kind:$k: exit $code"; return
        fi
        if [[ $message != *"scone: error: "* ]]; then complain "$name $kind:$k: no message"; return; fi
        # A result whose place cannot be written is in another one, whole.
        if [[ $message == *"the result is in "* ]]; then
            saved=${message##*the result is in }
            saved=$work/box/${saved%% instead*}
            # eight files, and of several conditions one more
            if [ "$(ls "$saved" | grep -vcx sizes.csv)" -ne 8 ] || { [[ $name == *-many ]] && [ ! -e "$saved/sizes.csv" ]; }; then complain "$name $kind:$k: $saved is not whole"; return; fi
            rm -rf "$saved"
        fi
        # Every file as before, and no temporary file or empty folder left.
        if ! diff -r "$work/start" "$work/box" >"$work/difference" 2>&1; then
            complain "$name $kind:$k: files changed: $(head -n 5 "$work/difference")"; return
        fi
    done
    if [ -n "$output" ] && [ ! -e "$work/box/$output" ]; then complain "$name $kind: no output at the end"; return; fi
    rm -rf "$work/box"
    passed=$((passed + 1))
    echo "ok $name $kind: $k tries"
}

# Is the next command one of this part?
mine() {
    commands=$((commands + 1))
    [ $((commands % parts)) -eq "$part" ]
}

every_kind() {
    local name=$1 output=$2
    shift 2
    mine || return 0
    walk "$name" alloc "$output" "$@"
    walk "$name" io "$output" "$@"
    walk "$name" short "$output" "$@"
}

mkdir "$work/start"
(cd "$work/start" && "$program" simulate custom --nodes 4 --edges 3 --mechanisms linear,nn --samples 30 --count 2 \
    -o sim --seed 3 --quiet >/dev/null && gzip -c sim/g0/obs.csv >obs.csv.gz && "$program" simulate custom --nodes 3 --edges 2 \
    --samples 20 -o dcdi --format dcdi --seed 4 --quiet >/dev/null) || { echo "cannot prepare"; exit 1; }
printf 'a,b,arm\n1,2,c\n2,1,c\n3,5,t\n4,4,t\n5,1,c\n7,7,t\n' >"$work/start/one.csv"

# A DCDI problem with two regimes besides the control, and what is known of one of them.
cp -r "$work/start/dcdi" "$work/start/regimes"
awk '{ print $1 == 0 ? 0 : 1 + NR % 2 }' "$work/start/dcdi/regime1.csv" >"$work/start/regimes/regime1.csv"
printf 'target X1 @ 2\nnot-target X0\n' >"$work/start/regimes.txt"

printf 'tier 1: X0 X1\nX0 -> X2\nX3 !-> X1\ntarget X2\n' >"$work/start/known.txt"
(cd "$work/start" && "$program" discover sim/g1 -p ges -o old -b 0 --quiet >/dev/null && "$program" bench custom --nodes 3 --edges 2 \
    --samples 20 --methods empty -o rows.csv --quiet >/dev/null && "$program" simulate custom --nodes 3 \
    --edges 2 --samples 20 -o tiny --quiet >/dev/null) || { echo "cannot prepare"; exit 1; }

cp -r "$work/start/old" "$work/start/kept" && echo mine >"$work/start/kept/notes.txt"
# A result with certificates and steps of the closure.
(cd "$work/start" && "$program" simulate custom --nodes 4 --edges 3 --mechanisms linear --samples 600 --p-target 0.6 -o linear \
    --seed 5 --quiet >/dev/null && "$program" discover linear/g0 -p ges -b 0 -o told --quiet >/dev/null &&
    grep -q '"certificate": 1' told/graph.json) || { echo "cannot prepare"; exit 1; }

# A control and conditions, and a result with targets of each.
(cd "$work/start" && "$program" simulate custom --nodes 3 --edges 2 --samples 20 --conditions 2 -o many --seed 3 --quiet \
    >/dev/null && "$program" discover many/g0 -p search -e fast -o apart --quiet >/dev/null 2>&1) ||
    { echo "cannot prepare"; exit 1; }
# A control and two conditions in one table, and a result of them.
awk 'BEGIN {
    srand(7)
    print "a,b,arm"
    for (i = 0; i < 75; i++) {
        a = rand()
        print a "," (i % 3 == 1 ? 3 * a : a) + rand() / 4 "," (i % 3 ? "c" i % 3 : "0")
    }
}' >"$work/start/many.csv"
(cd "$work/start" && "$program" discover many.csv --conditions arm -p ges -b 0 -o parted --quiet >/dev/null &&
    grep -qF '"pairs": [["0", "c1"], ["0", "c2"]]' parted/graph.json) || { echo "cannot prepare"; exit 1; }

# A weights file.
scone=$program
. "$2/tests/cli/weights.sh"
make_weights "$work/start/small.safetensors"

# A finished training without its weights: --resume reads tokens and a checkpoint and writes the rest.
train=(train --graphs 2 --validation 2 --nodes 4 --samples 60 --steps 2 --batch 2 --threads 1
    --config width=8,blocks=1,heads=2,feed_forward=8,identities=8,bootstraps=2,subset_size=3,subsets_min=2,cells_per_pair=1)
(cd "$work/start" && "$program" "${train[@]}" -o trained.safetensors --quiet >/dev/null && mv trained.safetensors paper.safetensors) ||
    { echo "cannot prepare"; exit 1; }

every_kind simulate new simulate custom --nodes 4 --edges 3 --samples 20 --count 2 -o new --threads 1
every_kind simulate-wild new simulate wild-20-20 --nodes 4 --edges 3 --samples 20 --count 1 -o new --threads 1
every_kind simulate-again sim simulate custom --nodes 3 --edges 2 --samples 10 --count 1 -o sim --threads 2
every_kind simulate-dcdi new simulate custom --nodes 3 --edges 2 --samples 10 -o new --format dcdi --threads 1
every_kind simulate-many new simulate custom --nodes 3 --edges 2 --samples 10 --conditions 2 -o new --threads 1
every_kind simulate-many-wild new simulate wild-20-20 --nodes 3 --edges 2 --samples 10 --count 1 --conditions 2 -o new \
    --format dcdi --threads 1
every_kind check "" check sim/g0/obs.csv sim/g0/int.csv --json
every_kind check-gzip "" check obs.csv.gz sim/g0/int.csv
every_kind check-dcdi "" check dcdi
every_kind check-regime "" check one.csv --regime arm
every_kind check-regimes "" check regimes --json
every_kind check-conditions "" check sim/g0/obs.csv sim/g0/int.csv x=sim/g0/obs.csv
every_kind eval "" eval sim/g0/graph.csv sim/g0/graph.csv --json
every_kind eval-many "" eval sim sim
every_kind eval-conditions "" eval apart many/g0
every_kind eval-joined "" eval apart tiny/g0
every_kind discover new discover tiny/g0 -o new -e fast --threads 1
every_kind discover-ges new discover sim/g0 -p ges -o new -b 2 --threads 1
every_kind discover-again old discover sim/g1 -o old -p polybic -b 2 --threads 2 --json
every_kind discover-knowledge new discover sim/g0/obs.csv sim/g0/int.csv -p ges -k known.txt -b 0 -o new --threads 1
every_kind discover-regime new discover one.csv --regime arm -p ges -o new -b 0 --threads 1
every_kind discover-many new discover many -p ges -b 0 -o new --threads 1
every_kind discover-regimes new discover regimes -p polybic -b 0 -k regimes.txt -o new --threads 1
every_kind discover-pairs new discover many.csv --conditions arm -p ges -b 0 -o new --threads 1
every_kind discover-paper new discover sim/g0 -p paper --model paper.safetensors -e fast -o new --threads 1
# A result that is replaced: alone in its folder, and beside a file of somebody else.
for kind in kill from; do
    mine && leave discover-again $kind discover sim/g1 -o old -p polybic -b 2 --threads 1
    mine && leave discover-beside $kind discover sim/g1 -o kept -p polybic -b 2 --threads 1
    mine && leave discover-new $kind discover sim/g1 -o new -p polybic -b 0 --threads 1
    mine && leave simulate-again $kind simulate custom --nodes 3 --edges 2 --samples 10 --count 1 -o sim --threads 1
done
every_kind explain "" explain told
every_kind explain-variable "" explain told X0
every_kind explain-pair "" explain told X1 X2 --json
every_kind explain-check "" explain told --check --threads 1 --json
every_kind explain-many "" explain parted b --json
every_kind explain-many-check "" explain parted --check --threads 1
every_kind model "" model small.safetensors
every_kind model-json "" model small.safetensors --json
every_kind model-preset "" model --preset paper-nc --json
every_kind train new.safetensors "${train[@]}" -o new.safetensors --work ../scratch --force
every_kind train-resume trained.safetensors "${train[@]}" -o trained.safetensors --resume
every_kind verify new.csv verify --nodes 3 -o new.csv --threads 2
every_kind verify-json "" verify --nodes 4 --subset-size 2 --json --threads 1
data=(verify --data --nodes 3 --subset-size 2 --rows 60 --subsets 1,2 --count 1 --restarts 1 --threads 1)
every_kind verify-data new "${data[@]}" -o new
every_kind verify-data-json "" "${data[@]}" --mechanisms sigmoid --json
# The file of a benchmark is complete after every graph and stays if the table cannot be printed.
bench=(bench custom --nodes 3 --edges 2 --samples 20 --methods empty,ges -b 2 --threads 1)
every_kind bench "" "${bench[@]}"
every_kind bench-many "" bench custom --nodes 3 --edges 2 --samples 20 --conditions 2 --methods empty,search --effort fast \
    --count 1 --threads 1
mine && walk bench-file io new.csv "${bench[@]}" -o new.csv
mine && walk bench-resume io rows.csv "${bench[@]}" -o rows.csv --resume
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
