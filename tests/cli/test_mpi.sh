#!/usr/bin/env bash
# Several processes under mpirun: the same bytes as one process with 1, 2 and 4 of them, one message
# and one exit code for all, and what is left when one of them dies.
# SCONE_MPIRUN is the launcher of the MPI that the program is built with (tests/CMakeLists.txt).
. "$(dirname "$0")/lib.sh"
faults=$(dirname "$scone")/tests/scone_faults
# MPI keeps memory until the process ends; test_team.c looks for leaks of ours.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0:log_path=$box/sanitizer"

# Processes that do not see each other are refused, in builds with and without MPI: each would do it
# all, and write the same files.
export OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0
run discover sim -o x
refused 2 "started as 3 processes that do not see each other"
export OMPI_COMM_WORLD_RANK=1
run discover sim -o x
code_is 2
err_empty # the first one has said it
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
if [ -z "${SCONE_MPIRUN:-}" ]; then
    [ "$failed" -eq 0 ] || finish
    echo "the rest is skipped: built without MPI, or without its launcher"
    exit 77
fi

# In a container, as root, on fewer processors than processes, and without reading each other's memory:
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1
export PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export TMPDIR=$box # the launcher's own files

# launch MPIRUN-ARGUMENTS...: a run that hangs fails with exit code 124
launch() {
    last="mpirun $*"
    timeout 120 "$SCONE_MPIRUN" "$@" >"$box/raw_out" 2>"$box/raw_err" </dev/null
    code=$?
    cat "$box/raw_out" >"$box/out"
    # the launcher adds lines of its own after a failure
    replace <"$box/raw_err" | grep -E '^(scone|CLOSING)' >"$box/err"
}
# ranks N ARGS...
ranks() {
    local n=$1
    shift
    launch -n "$n" "$scone" "$@"
}
message_is() { # exactly one message, with this text
    err_has "$1"
    is "one message" "$(wc -l <"$box/err")" 1
}
same_folder() { # all files but the record of the run
    is "files of $1" "$(entries "$1")" "$(entries "$2")"
    is "bytes of $1" "$(diff -rq -x run.json "$1" "$2")" ""
}
plain() { cut -d, -f1-31 "$1"; } # without the seconds
pid_of() { cat "$box/pid.$1" 2>/dev/null; }

run simulate custom --nodes 7 --edges 7 --samples 300 --seed 3 -o sim -q
run simulate custom --nodes 4 --edges 4 --samples 100 --seed 3 -o tiny -q

# ---- the same bytes ----
for preset in "ges -b 21" "polybic -b 7"; do
    name=${preset%% *}
    run discover sim/g0 -p $preset -o "$name.0" -q
    code_is 0
    sed "s/$name\.0/DIR/" "$box/out" >"$box/alone"
    for n in 1 2 4; do
        ranks $n discover sim/g0 -p $preset -o "$name.$n"
        code_is 0
        err_is <<<"CLOSING LINE"
        sed -i "s/$name\.$n/DIR/" "$box/out"
        out_is <"$box/alone"
        same_folder "$name.$n" "$name.0"
        is "the record" "$(grep -o '"processes": [0-9]*' "$name.$n/run.json")" "\"processes\": $n"
    done
done
# fewer replicates than processes, and threads in each of them
run discover sim/g0 -p ges -b 3 -o few.0 -q
ranks 4 discover sim/g0 -p ges -b 3 -o few.4 -q --threads 2
code_is 0
same_folder few.4 few.0
run discover tiny/g0 -e fast -o search.0 -q
for n in 2 4; do
    ranks $n discover tiny/g0 -e fast -o search.$n -q --threads 1
    code_is 0
    same_folder search.$n search.0
done
# fits and scans are shared in every round, with warm starts and tucks, where there are edges
run simulate custom --nodes 6 --edges 8 --samples 200 --seed 5 -o six -q
run discover six/g0 --preset search -o six.0 -q --threads 1
code_is 0
yes "edges to share" test "$(wc -l <six.0/edges.csv)" -gt 4
for n in 1 2; do
    ranks $n discover six/g0 --preset search -o six.$n -q --threads 1
    code_is 0
    same_folder six.$n six.0
done
ranks 2 discover six/g0 --preset search -o six.threads -q --threads 2
code_is 0
same_folder six.threads six.0

bench=(bench custom --nodes 5 --edges 5 --samples 100 --count 5 --methods empty,ges,polybic -b 5 --seed 2 -q)
timeless() { sed 's/ *[0-9.]* ± [0-9.]*$//' "$1"; }
run "${bench[@]}" -o b0.csv
timeless "$box/out" >"$box/alone"
for n in 1 2 4; do
    ranks $n "${bench[@]}" -o b$n.csv
    code_is 0
    err_empty
    is "rows of $n processes" "$(plain b$n.csv)" "$(plain b0.csv)"
    is "the table" "$(timeless "$box/out")" "$(cat "$box/alone")"
    out_has "custom: 5 nodes, 5 edges, polynomial, sigmoid, noise mixed, 100 rows, 5 graphs, seed 2"
    is "printed once" "$(grep -c '^custom:' "$box/out")" 1
done
sed -n '1,3p;8,9p;12,13p' b0.csv >holes.csv # as processes leave it that were stopped
ranks 2 "${bench[@]}" -o holes.csv --resume
code_is 0
is "complete again" "$(plain holes.csv)" "$(plain b0.csv)"

# ---- one message, one exit code ----
ranks 3 discover nowhere -o x
code_is 3
message_is "scone: error: nowhere: No such file or directory"
ranks 2 discover sim/g0 --presett ges -o x
code_is 2
message_is "unknown option"
ranks 2 "${bench[@]}" -o b2.csv
code_is 1
message_is "b2.csv exists; --resume adds what is missing there"
# only one of them cannot read the input, or has another one
launch -n 2 "$scone" discover sim/g0 -p ges -o x -q : -n 1 "$scone" discover nowhere -p ges -o x -q
code_is 3
message_is "nowhere: No such file or directory (in process 2 of 3)"
launch -n 2 "$scone" discover sim/g0 -p ges -o x -q : -n 1 "$scone" discover tiny/g0 -p ges -o x -q
code_is 1
message_is "the tables of processes 0 and 2 differ"
printf 'x\n' >taken # the folder cannot be written, which only the first one notices
ranks 2 discover sim/g0 -p ges -b 2 -o taken/x -q
code_is 3
is "no result" "$(entries . | tr ' ' '\n' | grep -c '^x')" 0
# commands that have nothing to share run once
ranks 2 check tiny/g0 -q
code_is 0
is "printed once" "$(grep -c 'rows in regime 0' "$box/out")" 1
ranks 2 --version
out_is <<<"scone $version"

# ---- one of them runs out of memory ----
if [ -x "$faults" ]; then
    command=(discover tiny/g0 -p ges -b 4 -o memory -q --threads 1)
    for k in 2 9 120; do
        launch -n 1 "$scone" "${command[@]}" : -n 1 -x SCONE_FAULT=alloc:$k "$faults" "${command[@]}"
        code_is 4
        err_has "out of memory"
    done
    launch -n 1 -x SCONE_FAULT=alloc:60 "$faults" "${command[@]}" : -n 1 "$scone" "${command[@]}"
    code_is 4
    message_is "out of memory"
    is "nothing left" "$(entries . | tr ' ' '\n' | grep -c '^memory')" 0
fi

# ---- one of them dies ----
# Every process notes its number, so that one can be chosen; then it becomes scone.
cat >"$box/noted.sh" <<'X'
#!/bin/sh
echo $$ >"$NOTES.${OMPI_COMM_WORLD_RANK:-$PMIX_RANK}"
exec "$@"
X
export NOTES=$box/pid
noted() { # N ARGS...: in the background; afterwards wait_for_end
    local n=$1
    shift
    last="mpirun -n $n scone $*"
    rm -f "$box"/pid.*
    # In the foreground, since timeout would signal its group, too: a launcher that hears two signals leaves
    # at once, and its processes are killed without a chance to clear up.
    timeout --foreground 120 "$SCONE_MPIRUN" -n "$n" sh "$box/noted.sh" "$scone" "$@" >"$box/out" 2>"$box/raw_err" </dev/null &
    launcher=$!
}
wait_until() { # COMMAND...: up to half a minute
    for _ in $(seq 600); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}
wait_for_end() {
    wait $launcher
    code=$?
    grep -E '^(scone|CLOSING)' "$box/raw_err" >"$box/err"
}
gone() { # the processes have ended, too
    for p in "$box"/pid.*; do kill -0 "$(cat "$p")" 2>/dev/null && return 1; done
    return 0
}

for victim in 0 1; do
    noted 3 discover sim/g0 -p ges -b 1000000 -o dead -q
    yes "process $victim is there" wait_until test -s "$box/pid.$victim"
    sleep 1
    kill -KILL "$(pid_of $victim)"
    wait_for_end
    yes "not 0, and not a time-out: $code" test $code -ne 0 -a $code -ne 124
    yes "all processes are gone" wait_until gone
    # A killed process 0 leaves its claim of the folder, which the next run clears away.
    run discover sim/g0 -p ges -b 1 -o dead -q
    code_is 0
    is "nothing left but the result" "$(entries . | tr ' ' '\n' | grep -c '^dead')" 1
    rm -r dead
done

# A benchmark keeps its rows and is completed to the bytes of an undisturbed one. Should the last row be
# there before the process dies (between the look at the file and the signal anything may happen on a
# busy machine), the next try takes longer.
lines() { wc -l 2>/dev/null <kept.csv || echo 0; }
begun() { [ -s kept.csv ] && [ "$(lines)" -ge 2 ]; }
for replicates in 10000 100000; do
    rm -f kept.csv
    killed=(bench custom --nodes 5 --edges 5 --samples 100 --count 12 --methods ges -b $replicates --seed 2 -q)
    noted 2 "${killed[@]}" -o kept.csv
    yes "first rows" wait_until begun
    kill -KILL "$(pid_of 1)" 2>/dev/null
    wait_for_end
    [ $code -ne 0 ] && [ "$(lines)" -lt 13 ] && break
done
yes "not 0, and not a time-out: $code" test $code -ne 0 -a $code -ne 124
yes "all processes are gone" wait_until gone
yes "some rows: $(lines) lines" test "$(lines)" -ge 2 -a "$(lines)" -lt 13
ranks 2 "${killed[@]}" -o kept.csv --resume
code_is 0
run "${killed[@]}" -o whole.csv
is "the same as undisturbed" "$(plain kept.csv)" "$(plain whole.csv)"

# A polite stop of the launcher: nothing is left either, also if it comes while the processes still join.
for moment in 0 0.3 1; do
    noted 2 discover sim/g0 -p ges -b 1000000 -o stopped -q
    yes "process 1 is there" wait_until test -s "$box/pid.1"
    sleep $moment
    kill -TERM $launcher
    wait_for_end
    yes "not 0: $code" test $code -ne 0
    yes "all processes are gone" wait_until gone
    is "nothing left" "$(entries . | tr ' ' '\n' | grep -c '^stopped')" 0
done

is "sanitizer reports" "$(cat "$box"/sanitizer* 2>/dev/null | head -n 20)" ""
finish
