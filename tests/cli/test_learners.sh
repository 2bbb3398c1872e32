#!/usr/bin/env bash
# --learners: local learners that vote, in train, discover and bench; the three aggregates that the
# presets of the paper write, the same bytes however they are made, and what scone explain says of them;
# damaged aggregates are refused.
. "$(dirname "$0")/lib.sh"

tiny=(--graphs 4 --validation 2 --nodes 4..6 --samples 100 --steps 4 --every 2 --batch 2 --seed 5 -t 1 -q
    --config width=16,blocks=2,heads=2,feed_forward=24,identities=40,bootstraps=3,subset_size=5,subsets_min=4,cells_per_pair=2)
mkdir models
for preset in paper paper-nb; do
    run train "${tiny[@]}" -p $preset --work work_$preset -o models/$preset.safetensors
    code_is 0
done
run train "${tiny[@]}" --learners ges,polybic --work work_ges -o ges.safetensors
code_is 0
run model ges.safetensors -q
out_has "polybic,ges"
has "the command of the weights" ges.safetensors "--learners ges,polybic"
run simulate custom --nodes 9 --edges 14 --samples 2000 --seed 3 -o sim -q
weights=(-p paper --model models/paper.safetensors --threshold 0.01 -q)

# ---- discover ----
run discover sim/g0 "${weights[@]}" -o usual -t 1
code_is 0
yes "those of the weights" grep -q '"learners": "polybic"' usual/run.json
run discover sim/g0 "${weights[@]}" -o same --learners polybic -t 2
code_is 0
is "asked for what is usual" "$(diff -rq -x run.json usual same)" ""
for learners in ges search polybic,ges,search; do
    run discover sim/g0 "${weights[@]}" -o "one $learners" --learners $learners -t 1
    code_is 0
    run discover sim/g0 "${weights[@]}" -o "three $learners" --learners $learners -t 3
    is "threads and $learners" "$(diff -rq -x run.json "one $learners" "three $learners")" ""
    yes "told" grep -qF "the votes are those of the learners $learners, but the weights were trained with those of polybic" "one $learners/graph.json"
done
yes "three learners, three graphs" test "$(cat usual/probabilities.csv one*/probabilities.csv | sort -u | wc -l)" -gt 30
mkdir turned_in
for table in obs int; do
    awk -F, -v OFS=, '{ for (k = NF; k > 1; k--) printf "%s,", $k; print $1 }' sim/g0/$table.csv >turned_in/$table.csv
done
run discover turned_in/obs.csv turned_in/int.csv "${weights[@]}" --learners search,ges -o turned
code_is 0
run discover sim/g0/obs.csv sim/g0/int.csv "${weights[@]}" --learners ges,search -o straight
is "columns the other way round" "$(diff -rq -x run.json turned straight)" ""

# ---- aggregates ----
for folder in usual "one ges" "one search"; do
    is "aggregates of $folder" "$(grep -o '"directed": [0-9]*' "$folder/graph.json" | wc -l)" 3
    yes "no stage loses a direction" bash -c 'grep -o "\"directed\": [0-9]*" "$1/graph.json" | sort -c -k2n' _ "$folder"
done
run discover sim/g0 -p paper-nb --model models/paper-nb.safetensors -o nb --threshold 0.01 -q
code_is 0
yes "no rules" grep -q '"rules": "none"' nb/run.json
yes "two aggregates" bash -c 'grep -q "\"per_regime\": {" nb/graph.json && ! grep -q "\"contrastive\"" nb/graph.json'
run discover sim/g0 -p paper-nb --model models/paper-nb.safetensors -o nb2 --threshold 0.01 --rules all -q
yes "unless they are asked for" grep -q '"rules": "all"' nb2/run.json
run discover sim/g0 -p ges -o other -q
yes "no local learners, no aggregates" bash -c '! grep -q "\"stages\": {" other/graph.json'
for folder in usual nb "one search"; do
    run explain "$folder" -q
    code_is 0
    directed=$(grep -c -- ' -> .*$' <(grep -E '^[^ ].* -> ' "$box/out"))
    is "a stage for each arrow" "$(grep -c '^  Stages: ' "$box/out")" "$directed"
done
run explain other -q
yes "none without them" bash -c '! grep -q "Stages:" "$1"' _ "$box/out"

# ---- bench ----
run bench custom --nodes 6 --edges 6 --samples 100 --count 2 --methods paper,ges --model models/paper.safetensors --learners ges -o b.csv -q
code_is 0
yes "in the file" grep -qE ',paper,normal,0,0,.*,[0-9a-f]{16}/ges,' b.csv
yes "of methods with votes" bash -c '! grep -q ",ges,normal.*/ges," b.csv'

# ---- refused ----
run discover sim/g0 "${weights[@]}" --learners pc -o x
refused 1 "there is no list of learners 'pc'; use some of polybic, ges, search, each once, with commas between"
for command in "discover sim/g0 -p search -o x" "discover sim/g0 -o x" "train -p best -o x" "bench custom --nodes 4 --edges 3 --methods ges,search"; do
    run $command --learners ges
    code_is 2
    err_has "--learners goes with"
    err_has "paper, paper-nb or paper-nc"
done
damage() { # SED SCRIPT, TEXT
    rm -rf bad
    cp -r usual bad
    sed -i -E "/\"stages\": \{/$1" bad/graph.json
    yes "damaged by $1" bash -c '! cmp -s usual/graph.json bad/graph.json'
    run explain bad -q
    refused 1 "$2"
}
damage 's/"stages": \{/"stages": 3, "x": {/' '"stages"'
damage 's/"per_regime"/"per_state"/' '"per_regime"'
damage 's/"directed": [0-9]+/"directed": 1000/' "stage observational: its numbers of edges are not those of its list"
damage 's/"edges": \[\[/"edges": [["nobody", "->", "X1"], [/' "stage observational: a name is not among the nodes"
damage 's/"edges": \[(\[[^]]*\])/"edges": [\1, \1/' "stage observational: two edges between the same variables"
damage 's/"(->|-)"/"~"/' "stage observational: an edge that is neither -> nor - between two variables"
damage 's/"edges": \[\[/"edges": [3, [/' "stage observational: an edge that is not a list of 3"
damage 's/"skipped": [0-9]+/"skipped": "few"/' 'stage per_regime: the member "skipped"'
damage 's/"added": \[/"added": [["X0", "->", "X1", "rule"]], "x": [/' "stage per_regime: "
finish
