#!/usr/bin/env bash
# Fails the k-th allocation and the k-th file operation of every command, k = 1, 2, ... until the
# command succeeds, and checks: the right exit code with a message, no crash and no leak (the
# sanitizer build), no partial or temporary file, an earlier output intact.
# Usage: test_faults.sh SCONE_FAULTS SOURCE_DIR
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SCONE_FAULT_REPORT="$work/report"
# A thread pool that stays is no leak; what our code forgets is.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}
passed=0
failed=0
# The everyday run takes every k up to this and then samples; the long run takes all.
dense=${SCONE_SOAK:+1000000}
dense=${dense:-400}

complain() {
    failed=$((failed + 1))
    echo "FAILED: $*"
    sed 's/^/    /' "$work/stderr" | head -n 12
}

snapshot() { # of a folder, names and contents
    (cd "$1" 2>/dev/null && find . -type f -print0 | sort -z | xargs -0 -r sha256sum)
}

# walk NAME KIND OUTPUT COMMAND...: OUTPUT is "" or a path, relative to the box, that must appear
# whole or not at all.
walk() {
    local name=$1 kind=$2 output=$3 k=0 step=1 code state before after
    shift 3
    while :; do
        k=$((k + step))
        [ $k -gt "$dense" ] && step=17
        if [ $k -gt 200000 ]; then complain "$name $kind: no end in sight"; return; fi
        rm -rf "$work/box"
        cp -r "$work/start" "$work/box"
        before=$(snapshot "$work/box")
        rm -f "$work/report"
        (cd "$work/box" && SCONE_FAULT=$kind:$k "$program" "$@" >"$work/stdout" 2>"$work/stderr")
        code=$?
        state=$(cat "$work/report" 2>/dev/null || echo crashed)
        after=$(snapshot "$work/box")
        case "$state" in
        quiet*)
            if [ $code -ne "${expect:-0}" ]; then complain "$name $kind:$k: exit $code without a fault"; return; fi
            break ;;
        fired*) ;;
        *) complain "$name $kind:$k: crashed (exit $code)"; return ;;
        esac
        if [ $kind = short ]; then
            if [ $code -ne "${expect:-0}" ]; then complain "$name short reads: exit $code"; return; fi
            [ $k -ge 3 ] && break
            continue
        fi
        if grep -q 'Sanitizer' "$work/stderr"; then complain "$name $kind:$k: sanitizer report"; return; fi
        if [ $code -eq "${expect:-0}" ]; then
            continue # a failure that may be overlooked, such as closing a file that was read
        fi
        if { [ $kind = alloc ] && [ $code -ne 4 ]; } || { [ $kind = io ] && [ $code -ne 3 ]; }; then
            complain "$name $kind:$k: exit $code"; return
        fi
        if ! grep -q '^scone: error: ' "$work/stderr"; then complain "$name $kind:$k: no message"; return; fi
        if [ "$before" != "$after" ]; then
            complain "$name $kind:$k: files changed: $(diff <(echo "$before") <(echo "$after") | head -n 5)"
            return
        fi
        # empty folders left behind do not show in the snapshot
        if find "$work/box" -name '*tmp*' | grep -q .; then complain "$name $kind:$k: temporary left"; return; fi
    done
    if [ -n "$output" ] && [ ! -e "$work/box/$output" ]; then complain "$name $kind: no output at the end"; return; fi
    passed=$((passed + 1))
    echo "ok $name $kind: $k tries"
}

every_kind() {
    local name=$1 output=$2
    shift 2
    walk "$name" alloc "$output" "$@"
    walk "$name" io "$output" "$@"
    walk "$name" short "$output" "$@"
}

mkdir "$work/start"
(cd "$work/start" && "$program" simulate custom --nodes 4 --edges 3 --mechanisms linear,nn --samples 30 --count 2 \
    -o sim --seed 3 --quiet >/dev/null && gzip -k sim/g0/obs.csv && "$program" simulate custom --nodes 3 --edges 2 \
    --samples 20 -o dcdi --format dcdi --seed 4 --quiet >/dev/null) || { echo "cannot prepare"; exit 1; }
printf 'a,b,arm\n1,2,c\n2,1,c\n3,5,t\n4,4,t\n5,1,c\n7,7,t\n' >"$work/start/one.csv"

every_kind simulate new simulate custom --nodes 4 --edges 3 --samples 20 --count 2 -o new --threads 1
every_kind simulate-wild new simulate wild-20-20 --nodes 4 --edges 3 --samples 20 --count 1 -o new --threads 1
every_kind simulate-again sim simulate custom --nodes 3 --edges 2 --samples 10 --count 1 -o sim --threads 2
every_kind simulate-dcdi new simulate custom --nodes 3 --edges 2 --samples 10 -o new --format dcdi --threads 1
expect=0
every_kind check "" check sim/g0/obs.csv sim/g0/int.csv --json
every_kind check-gzip "" check sim/g0/obs.csv.gz sim/g0/int.csv
every_kind check-dcdi "" check dcdi
every_kind check-regime "" check one.csv --regime arm
every_kind eval "" eval sim/g0/graph.csv sim/g0/graph.csv --json
every_kind eval-many "" eval sim sim
for format in json dot graphml npy; do
    [ -e "$work/start/graph.$format" ] && every_kind "eval-$format" "" eval "graph.$format" sim/g0/graph.csv
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
