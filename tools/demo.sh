#!/usr/bin/env bash
# The first run: makes a small two-regime problem with a known truth, examines the two tables,
# compares the graph with itself and shows where everything is. Usage: tools/demo.sh SCONE FOLDER
set -eu
scone=$1
folder=$2

say() { printf '\n%s\n' "$*"; }
run() {
    printf '\n$ scone %s\n' "$*"
    "$scone" "$@"
}

say "1. Two tables with a known truth: ten variables, and some mechanisms change in the second table."
run simulate custom --nodes 10 --edges 12 --mechanisms polynomial,sigmoid,nn_add --samples 2000 --seed 7 -o "$folder" --force

say "2. Are the tables fit for causal discovery?"
run check "$folder/g0/obs.csv" "$folder/g0/int.csv"

say "3. Scores of a graph against the truth. Here one edge is taken away and one is turned round:"
awk -F, 'NR == 1 {print; next} NR == 2 {next} NR == 3 {print $2 "," $1; next} {print}' \
    "$folder/g0/graph.csv" >"$folder/guess.csv"
run eval "$folder/guess.csv" "$folder/g0/graph.csv"

say "Look at the result in $folder/:"
for file in g0/obs.csv g0/int.csv g0/graph.csv g0/targets.csv setting.json guess.csv; do
    case $file in
    g0/obs.csv) what="the first table (nothing changed)" ;;
    g0/int.csv) what="the second table (some mechanisms changed)" ;;
    g0/graph.csv) what="the true causes: source,target" ;;
    g0/targets.csv) what="which variables' mechanisms changed" ;;
    setting.json) what="everything needed to make the same data again" ;;
    guess.csv) what="the wrong graph that was scored" ;;
    esac
    printf '  %-28s %8s bytes  %s\n' "$folder/$file" "$(wc -c <"$folder/$file")" "$what"
done
