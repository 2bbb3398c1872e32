#!/usr/bin/env bash
# scone train: a tiny training, the same bytes with other threads, after kills and under mpirun;
# nothing half-written on a full disk or in a folder that cannot be written.
. "$(dirname "$0")/lib.sh"

tiny=(--graphs 6 --validation 3 --nodes 4..7 --samples 200 --steps 12 --every 2 --batch 4 --seed 5
    --config width=16,blocks=2,heads=4,feed_forward=24,identities=40,bootstraps=3,subset_size=4,subsets_min=3,cells_per_pair=1)

# ---- one run, in words and as JSON ----
run train "${tiny[@]}" -o whole.safetensors -t 1
code_is 0
out_has "Wrote whole.safetensors: "
out_has "parameters, the best of 12 steps, after step "
err_has "note: step 12 of 12: loss "
err_has "graphs/s, 0 s left"
is "files" "$(entries whole.safetensors.run | sed -E 's/tokens-[0-9a-f]{16}/tokens/g')" \
    "checkpoint-000000000008.safetensors checkpoint-000000000010.safetensors checkpoint-000000000012.safetensors curves.csv curves.svg tokens.tok tokens.tok "
is "rows of the curves" "$(wc -l <whole.safetensors.run/curves.csv)" 7
yes "the drawing ends" grep -q '^</svg>$' whole.safetensors.run/curves.svg
run model whole.safetensors -q
code_is 0
out_has "weights of the preset paper"
out_has "--setting train-ood --nodes 4..7 --samples 200 --data-seed 1 --graphs 6"
run train "${tiny[@]}" -o json.safetensors --json -q -t 2 --tokens whole.safetensors.run
code_is 0
err_empty
out_has '"steps":	12'
yes "the same bytes with two threads" cmp -s whole.safetensors json.safetensors
yes "tokens were not made again" test "$(ls json.safetensors.run | grep -c tok)" -eq 0

# the command in the file, repeated, gives the file
command=$(strings -n 20 whole.safetensors | grep -o 'scone train [^"]*' | head -n 1)
run ${command#scone } -o again.safetensors -q
code_is 0
yes "the command in the file gives the file" cmp -s whole.safetensors again.safetensors

# rows drawn for each graph
run train "${tiny[@]}" --samples-min 50 --threshold 0.45 --steps 2 -o rows.safetensors -q
code_is 0
run model rows.safetensors -q
out_has "--samples 200 --samples-min 50 --data-seed 1"
out_has "--threshold 0.45 --seed 5"
yes "its tokens are others" test "$(cat rows.safetensors.run/*.tok | wc -c)" -ne "$(cat whole.safetensors.run/*.tok | wc -c)"
run train "${tiny[@]}" --samples-min 300 --steps 2 -o none.safetensors -q
code_is 1
err_has "--samples-min 300 is above --samples 200"
run train "${tiny[@]}" --threshold 0.47 --steps 2 -o none.safetensors -q
code_is 1
err_has "--threshold must be one of 0.05, 0.10, ... 0.95"

# graphs made beside the steps
run train "${tiny[@]}" --stream --graphs 40 -o stream1.safetensors -t 1
code_is 0
err_has "note: step 12 of 12: loss "
run train "${tiny[@]}" --stream --graphs 40 -o stream2.safetensors -t 2 -q
code_is 0
yes "the same bytes with two threads, streaming" cmp -s stream1.safetensors stream2.safetensors
command=$(strings -n 20 stream1.safetensors | grep -o 'scone train [^"]*' | head -n 1)
run ${command#scone } -o again-stream.safetensors -q
code_is 0
yes "the command in the file gives the file, streaming" cmp -s stream1.safetensors again-stream.safetensors

# the other presets
for preset in paper-nb paper-nc; do
    run train "${tiny[@]}" -p $preset --steps 2 -o $preset.safetensors -q
    code_is 0
    run model $preset.safetensors -q
    out_has "weights of the preset $preset"
done

# ---- nothing is replaced unasked ----
run train "${tiny[@]}" -o whole.safetensors
refused 1 "whole.safetensors exists; give another name, or --force to replace it"
rm again.safetensors
run train "${tiny[@]}" -o again.safetensors
refused 1 "again.safetensors.run holds checkpoints of a training; go on with --resume, or begin anew with --force"
run train "${tiny[@]}" --steps 14 -o again.safetensors --resume
refused 1 "the checkpoint is of another training"

# ---- killed, again and again ----
for wait in 0.1 0.3 0.2 0.5; do
    "$scone" train "${tiny[@]}" --stream --graphs 40 --every 1 -o killed-stream.safetensors --resume -t 2 -q </dev/null >/dev/null 2>&1 &
    victim=$!
    sleep $wait
    kill -KILL $victim 2>/dev/null
    wait $victim 2>/dev/null
    "$scone" train "${tiny[@]}" --every 1 -o killed.safetensors --resume -q </dev/null >/dev/null 2>&1 &
    victim=$!
    sleep $wait
    kill -KILL $victim 2>/dev/null
    wait $victim 2>/dev/null
    [ -e killed.safetensors ] && run model killed.safetensors -q && code_is 0
done
mkdir -p killed.safetensors.run
: >killed.safetensors.run/checkpoint-000000000003.safetensors.tmp-1-0 # as a killed run leaves it
run train "${tiny[@]}" --every 1 -o killed.safetensors --resume -q
code_is 0
is "no rest of killed runs" "$(find killed.safetensors.run -name '*tmp*')" ""
find . -maxdepth 1 -name '*tmp*' -delete # of the weights themselves
run train "${tiny[@]}" --every 1 -o unhurt.safetensors -q
code_is 0
yes "the same bytes after kills" cmp -s killed.safetensors unhurt.safetensors
run train "${tiny[@]}" --stream --graphs 40 --every 1 -o killed-stream.safetensors --resume -q -t 2
code_is 0
run train "${tiny[@]}" --stream --graphs 40 --every 1 -o unhurt-stream.safetensors -q
code_is 0
yes "the same bytes after kills, streaming" cmp -s killed-stream.safetensors unhurt-stream.safetensors
yes "the same curves after kills" cmp -s killed.safetensors.run/curves.csv unhurt.safetensors.run/curves.csv

# ---- two at once ----
mkdir -p whole.safetensors.run
last="train in a folder in use"
(flock -x 9 && "$scone" train "${tiny[@]}" -o whole.safetensors --resume >"$box/out" 2>"$box/err" </dev/null) 9<whole.safetensors.run
code=$?
refused 1 "whole.safetensors.run: another training is at work in this folder; wait for its end"

# ---- disks and folders ----
# Files may grow to 100 KB: tokens fit, checkpoints do not.
last="train with a small limit of files"
(ulimit -f 100 && exec "$scone" train "${tiny[@]}" -o full.safetensors -q) >"$box/out" 2>"$box/err" </dev/null
code=$?
code_is 3
err_has "cannot write"
is "no weights" "$(ls full.safetensors 2>/dev/null)" ""
is "no checkpoint" "$(ls full.safetensors.run | grep -v tok)" ""
run train "${tiny[@]}" -o full.safetensors --resume -q
code_is 0
yes "the same bytes after a full disk" cmp -s whole.safetensors full.safetensors
run train "${tiny[@]}" -o missing/x.safetensors
refused 3 "missing"
mkdir taken.safetensors
run train "${tiny[@]}" -o taken.safetensors
refused 3 "taken.safetensors"
rmdir taken.safetensors
: >file
run train "${tiny[@]}" -o x.safetensors --work file
refused 3 "file: cannot "
is "nothing written" "$(ls -d x.safetensors* 2>/dev/null)" ""

# ---- usage ----
run train
refused 2 "train: give the file for the weights with -o FILE"
run train -o x y
refused 2 "train: 'y' is not expected"
run train -o x --steps 2 --epochs 2
refused 2 "train: give --steps or --epochs, not both"
run train -o x --resume --force
refused 2 "train: give --resume or --force, not both"
run train -o x --preset beast
refused 1 "there is no model preset 'beast'"
run train -o x --config depth=3
refused 1 "'depth=3' changes no field of the configuration"
run train -o x --config dpt_paths=9
refused 1 "dpt_paths is 9; use a whole number from 1 to 8"
run train -o x --config dpt_length=5
refused 1 "dpt_length is 5; use a whole number from 2 to 4"
run train -o x --nodes 2000
refused 1 "graphs of 2000 nodes, but the model has 1024 identities; use fewer nodes"

# ---- several processes ----
if [ -n "${SCONE_MPIRUN:-}" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1
    export PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    for processes in 2 4; do
        last="mpirun -n $processes scone train"
        timeout 300 "$SCONE_MPIRUN" -n $processes --bind-to none "$scone" train "${tiny[@]}" -t 1 -q \
            -o ranks$processes.safetensors >"$box/out" 2>"$box/err" </dev/null
        code=$?
        code_is 0
        yes "the same bytes with $processes processes" cmp -s whole.safetensors ranks$processes.safetensors
        last="mpirun -n $processes scone train --stream"
        timeout 300 "$SCONE_MPIRUN" -n $processes --bind-to none "$scone" train "${tiny[@]}" --stream --graphs 40 -t 2 -q \
            -o streams$processes.safetensors >"$box/out" 2>"$box/err" </dev/null
        code=$?
        code_is 0
        yes "the same bytes with $processes processes, streaming" cmp -s stream1.safetensors streams$processes.safetensors
    done
fi
finish
