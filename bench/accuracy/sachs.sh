#!/usr/bin/env bash
# Every condition of the flow cytometry data of Sachs et al. (Science 308, 2005) against its baseline, logarithms
# taken, compared with the reference graph that comes with the data. Prints CSV.
#
#     bench/accuracy/sachs.sh FOLDER [SCONE]      FOLDER has cd3cd28.csv, other conditions, graph.csv
set -eu
folder=$1
scone=${2:-build/scone}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

logs() { # FILE: the table with the logarithm of every value
    awk -F, -v OFS=, 'NR == 1 { print; next } { for (i = 1; i <= NF; i++) $i = log($i > 0 ? $i : 0.01); print }' "$1"
}

logs "$folder/cd3cd28.csv" >"$work/before.csv"
echo "condition,method,SHD,F1,skeleton F1,targets"
for file in "$folder"/*.csv; do
    name=$(basename "$file" .csv)
    case $name in cd3cd28 | graph) continue ;; esac
    logs "$file" >"$work/after.csv"
    for method in best search ges; do
        "$scone" discover "$work/before.csv" "$work/after.csv" --preset "$method" -o "$work/out" --force --quiet >/dev/null
        "$scone" eval "$work/out/edges.csv" "$folder/graph.csv" --json --quiet >"$work/scores.json"
        targets=$(awk -F, '$3 == 1 { printf "%s%s", s, $2; s = " " }' "$work/out/targets.csv")
        python3 - "$work/scores.json" "$name" "$method" "$targets" <<'PY'
import json, sys
s = json.load(open(sys.argv[1]))
print(",".join([sys.argv[2], sys.argv[3], f"{s['shd']:g}", f"{s['f1']:.3f}", f"{s['skeleton_f1']:.3f}", sys.argv[4]]))
PY
    done
done
