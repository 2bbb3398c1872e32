#!/usr/bin/env bash
# scone discover and scone bench with trained weights: a tiny training first; the same bytes with other
# threads, processes and orders of columns; where weights are looked for; what is refused.
. "$(dirname "$0")/lib.sh"

tiny=(--graphs 4 --validation 2 --nodes 4..6 --samples 100 --steps 4 --every 2 --batch 2 --seed 5 -t 1 -q
    --config width=16,blocks=2,heads=2,feed_forward=24,identities=40,bootstraps=3,subset_size=4,subsets_min=3,cells_per_pair=1)
mkdir models
for preset in paper paper-nb paper-nc best; do
    run train "${tiny[@]}" -p $preset --work work_$preset -o models/$preset.safetensors
    code_is 0
done
run simulate custom --nodes 7 --edges 8 --samples 200 --seed 3 -o sim -q
same_folder() { # all files but the record of the run
    is "files of $1" "$(entries "$1")" "$(entries "$2")"
    is "bytes of $1" "$(diff -rq -x run.json "$1" "$2")" ""
}

# ---- discover ----
for preset in paper paper-nb paper-nc best; do
    run discover sim/g0 -p $preset --model models/$preset.safetensors -o $preset.1 -t 1 -q
    code_is 0
    for threads in 2 3; do
        run discover sim/g0 -p $preset --model models -o $preset.$threads -t $threads -q
        code_is 0
        same_folder $preset.$threads $preset.1
    done
done
yes "three models, three results" test "$(cat paper*.1/probabilities.csv | sort -u | wc -l)" -gt 16
is "the record" "$(grep -o '"model": {"path": "models/paper.safetensors", "header_xxh64": "' paper.1/run.json)" \
    '"model": {"path": "models/paper.safetensors", "header_xxh64": "'
is "weights are an input" "$(grep -c 'models/paper.safetensors", "bytes": ' paper.1/run.json)" 1
yes "the graph tells the weights" grep -qE '"preset": "paper", "effort": "normal", "model": "[0-9a-f]{16}"' paper.1/graph.json
is "rules of the paper" "$(grep -o '"rules": "[a-z]*"' paper.1/run.json)" '"rules": "paper"'
threshold=$("$scone" model models/paper.safetensors --json -q | sed -nE 's/.*"threshold":[^0-9]*([0-9.]+).*/\1/p' | head -n 1)
is "threshold of the weights" "$(grep -oE '"threshold": [0-9.]+' paper.1/run.json)" "\"threshold\": $threshold"
run explain paper.1 -q
code_is 0
# each method speaks for itself
run discover sim/g0 -p paper --model models --threshold 0.01 -o said -q
is "an edge of the model" "$(grep -c ',model$' said/edges.csv | sed 's/[1-9][0-9]*/some/')" some
run explain said -q
no_search() { ! grep -qi search said/edges.csv "$box/out"; }
yes "nothing of a search" no_search
out_has "It rests on the model alone"
run discover sim/g0 -p polybic -o said --force -q
is "an edge of the vote" "$(grep -c ',vote$' said/edges.csv | sed 's/[1-9][0-9]*/some/')" some
run eval paper.1 sim/g0 -q
code_is 0
# columns in another order, in each table another
mkdir moved_in
for table in obs int; do
    [ $table = obs ] && order='$4,$1,$7,$2,$6,$3,$5' || order='$7,$3,$1,$5,$2,$4,$6'
    awk -F, -v OFS=, "{print $order}" sim/g0/$table.csv >moved_in/$table.csv
done
run discover moved_in/obs.csv moved_in/int.csv -p paper --model models -o moved -t 2 -q
code_is 0
same_folder moved paper.1
# two columns
cut -d, -f1,2 sim/g0/obs.csv >two_obs.csv
cut -d, -f1,2 sim/g0/int.csv >two_int.csv
run discover two_obs.csv two_int.csv -p paper --model models -o two -q
code_is 0

# ---- where weights are looked for ----
run discover sim/g0 -p paper --model nowhere.safetensors -o x
refused 3 "nowhere.safetensors: "
mkdir empty
run discover sim/g0 -p paper --model empty -o x
refused 3 "empty/paper.safetensors: "
mkdir -p home/bin home/share/scone
cp "$scone" home/bin/scone
last="home/bin/scone discover"
home/bin/scone discover sim/g0 -p paper -o x >"$box/out" 2>"$box/err" </dev/null
code=$?
if [ $code -eq 3 ]; then # unless weights are installed where the program was built for
    err_has "the weights of the preset paper are missing: there is no paper.safetensors in "
    err_has "/home/share/scone/models, "
    err_has "/home/bin/models, "
    err_has "; give them with --model FILE, or make them: scone train --preset paper -o paper.safetensors (docs/manual/train.md has"
    is "one line of message" "$(wc -l <"$box/err")" 1
fi
# without weights and without --preset it is the search, which says so
home/bin/scone discover sim/g0 -o x >"$box/out" 2>"$box/err" </dev/null
code=$?
code_is 0
if grep -q '"preset": "search"' x/run.json; then
    err_has "note: the weights of the preset best are missing: this is --preset search"
    run discover sim/g0 -p search -o searched -q
    same_folder x searched
    rm -r searched
fi
rm -r x
for place in home/share/scone/models home/bin/models home/models; do
    rm -rf x
    cp -r models $place
    last="weights in $place"
    home/bin/scone discover sim/g0 -p paper -o x -q >"$box/out" 2>"$box/err" </dev/null
    code=$?
    code_is 0
    same_folder x paper.1
    rm -r $place
done
rm -r x home

# ---- the weights that come with the program ----
for file in "$source_dir"/models/*.safetensors; do
    run model "$file" -q
    code_is 0
    out_has "weights of the preset "
    yes "below 4 MB" test "$(wc -c <"$file")" -lt 4000000
    yes "its log" test -s "${file%.safetensors}.log"
done
run discover sim/g0 -o default -q
code_is 0
run discover sim/g0 -p best -o shipped -q
code_is 0
same_folder default shipped
is "best by default" "$(grep -o '"preset": "[a-z]*"' default/run.json)" '"preset": "best"'
rm -r default shipped
cp -r best.1 best-ood.1
for preset in paper paper-nb paper-nc best best-ood; do
    run discover sim/g0 -p $preset -o shipped -q --force
    code_is 0
    is "shipped, not the tiny ones" "$(cmp -s shipped/probabilities.csv $preset.1/probabilities.csv && echo same)" ""
done
rm -r shipped

# ---- refused ----
run discover sim/g0 -p paper-nb --model models/paper.safetensors -o x
refused 1 "models/paper.safetensors: weights of the preset 'paper', not of 'paper-nb'; use --preset paper, or other weights"
run discover sim/g0 -p search --model models -o x
refused 2 "discover: --model means nothing to the preset search"
run discover sim/g0 -p paper --model models --bootstrap 4 -o x
refused 1 "--bootstrap means nothing to the preset paper"
run discover sim/g0 -p beast -o x
refused 2 "'beast' is not one of search, ges, polybic, paper, paper-nb, paper-nc, best, best-ood"
head -c 5000 models/paper.safetensors >cut.safetensors
run discover sim/g0 -p paper --model cut.safetensors -o x
refused 1 "cut.safetensors: truncated"
cp models/paper.safetensors flipped.safetensors
printf '\377' | dd of=flipped.safetensors bs=1 seek=$(($(wc -c <flipped.safetensors) - 100)) conv=notrunc 2>/dev/null
run discover sim/g0 -p paper --model flipped.safetensors -o x
refused 1 "the file is damaged"
run discover sim/g0 -p paper --model work_paper/checkpoint-000000000004.safetensors -o x
refused 1 "checkpoint"
run discover sim/g0 -p paper --model sim/g0/obs.csv -o x
refused 1 "sim/g0/obs.csv: "
run simulate custom --nodes 41 --edges 20 --samples 20 --seed 3 -o wide -q
run discover wide/g0 -p paper --model models -o x
refused 1 "41 columns vary, but the model tells at most 40 apart; leave some out, or use --preset search"
run discover wide/g0 --model models -o wide_default # no preset was asked for
code_is 0
err_has "warning: 41 columns are more than the 40 that the model of the preset best is made for: this is the graph of --preset search"
run discover wide/g0 -p search -o wide_search -q
is "the search instead" "$(cmp wide_default/probabilities.csv wide_search/probabilities.csv)" ""
is "recorded" "$(grep -o '"preset": "[a-z]*"' wide_default/run.json)" '"preset": "search"'
run discover wide/g0 --effort fast -o wide_default --force # the shipped weights tell 1,024 apart
code_is 0
err_has "warning: 41 columns are more than the 40 that the model of the preset best is made for"
run simulate custom --nodes 40 --edges 20 --samples 20 --seed 3 -o wide -q --force
run discover wide/g0 --effort fast -o wide_default --force
code_is 0
is "best up to 40 columns" "$(grep -o '"preset": "[a-z]*"' wide_default/run.json)" '"preset": "best"'
is "nothing written" "$(ls -d x* 2>/dev/null)" ""

# ---- bench ----
bench=(bench custom --nodes 5 --edges 5 --samples 100 --count 3 --seed 2 -q)
plain() { cut -d, -f1-31,33 "$1"; } # without the seconds
run "${bench[@]}" --methods paper,empty,paper-nc --model models -o b1.csv -t 1
code_is 0
err_empty
is "methods" "$(cut -d, -f10 b1.csv | tail -n +2 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 3 empty; 3 paper; 3 paper-nc;"
is "the last columns" "$(head -n 1 b1.csv | cut -d, -f33,34)" model,commit
id=$(grep -oE '"model": "[0-9a-f]{16}"' paper.1/graph.json | cut -d'"' -f4)
is "weights of the rows" "$(grep ',paper,' b1.csv | cut -d, -f33 | sort -u)" "$id"
is "none of others" "$(grep ',empty,' b1.csv | cut -d, -f33 | sort -u)" ""
run "${bench[@]}" --methods paper,empty,paper-nc --model models -o b2.csv -t 2
is "threads" "$(plain b2.csv)" "$(plain b1.csv)"
# methods that begin with the same search share it, which shows in nothing but the time
run "${bench[@]}" --methods search,best,empty,best-ood -o shared.csv
code_is 0
for method in search best best-ood; do
    run "${bench[@]}" --methods $method -o alone.csv --force
    code_is 0
    is "$method alone" "$(plain alone.csv | tail -n +2)" "$(plain shared.csv | grep ",$method,")"
done
head -n 5 b1.csv >b3.csv
run "${bench[@]}" --methods paper,empty,paper-nc --model models -o b3.csv --resume
code_is 0
is "complete again" "$(plain b3.csv)" "$(plain b1.csv)"
# other weights have other rows
run train "${tiny[@]}" --seed 6 --work work_other -o other.safetensors
run "${bench[@]}" --methods paper --model other.safetensors -o b3.csv --resume
code_is 0
is "rows of both" "$(grep -c ',paper,' b3.csv)" 6
is "weights of both" "$(grep ',paper,' b3.csv | cut -d, -f33 | sort -u | wc -l)" 2
# a file of before there were weights
cut -d, -f1-32 b1.csv | grep -v ',paper' >old.csv
run "${bench[@]}" --methods empty,paper --model models -o old.csv --resume
code_is 0
is "old rows count" "$(plain old.csv | sort)" "$(plain b1.csv | grep -v paper-nc | sort)"
run "${bench[@]}" --methods paper,paper-nb --model models/paper.safetensors
refused 2 "--model FILE goes with one of the methods that have weights; for several give the folder"
run "${bench[@]}" --methods ges --model models
refused 2 "--model goes with a method that has weights"
run "${bench[@]}" --methods paper-nb --model models/paper.safetensors -o x.csv
refused 1 "weights of the preset 'paper', not of 'paper-nb'"
is "nothing written" "$(ls x* 2>/dev/null)" ""

# ---- several processes ----
if [ -n "${SCONE_MPIRUN:-}" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1
    export PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    for processes in 2 3; do
        last="mpirun -n $processes scone discover"
        timeout 300 "$SCONE_MPIRUN" -n $processes --bind-to none "$scone" discover sim/g0 -p paper --model models -t 1 -q \
            -o ranks$processes >"$box/out" 2>"$box/err" </dev/null
        code=$?
        code_is 0
        same_folder ranks$processes paper.1
    done
    last="mpirun scone bench"
    timeout 300 "$SCONE_MPIRUN" -n 2 --bind-to none "$scone" "${bench[@]}" --methods paper,empty,paper-nc --model models -t 1 \
        -o ranks.csv >"$box/out" 2>"$box/err" </dev/null
    code=$?
    code_is 0
    is "rows of two processes" "$(plain ranks.csv)" "$(plain b1.csv)"
fi
finish
