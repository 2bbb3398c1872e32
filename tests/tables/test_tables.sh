#!/usr/bin/env bash
# make tables in its smallest form: the page has what the runs gave, a second call runs nothing again, what has no result
# says why, and rows of other weights go. Then, in a copy of the scripts with a plan and peers of its own: peers that work,
# fail and take too long, one that is told the targets, and several trainings.
#
#     tests/tables/test_tables.sh SCONE SOURCE_DIR [MODELS]
. "$(dirname "$0")/../cli/lib.sh"
models=$(cd "${3:-$source_dir/models}" && pwd)
tree=$box/tree
mkdir -p "$tree/tools" "$tree/bench/peers" "$tree/docs/notebook"
cp -r "$source_dir/tools/notebook" "$tree/tools"
cp -r "$source_dir/bench/tables" "$tree/bench"
cp "$source_dir"/bench/peers/*.py "$tree/bench/peers"
cp -r "$source_dir/bench/peers/empty" "$tree/bench/peers"
tables() { # ARGS...: runs it in the copy, which has no other peers
    last="tables.py $*"
    python3 "$tree/bench/tables/tables.py" --scone "$scone" "$@" >"$box/out" 2>"$box/err" </dev/null
    code=$?
}
page_has() { has "$1" "$1" "$2"; }
row_of() { grep -F "| \`$2\` |" "$1" | head -n 1; } # PAGE METHOD: the first of its rows
column() { awk -F' *[|] *' -v k="$2" '{ print $(k + 1) }' <<<"$1"; }

# ---- the smallest form ----
tables --mode tiny --models "$models" --out "$box/tiny" --peers none
code_is 0
page=$box/tiny/paper.md
result=$box/tiny/results/tables/ood-20-20.csv
out_has "ood-20-20: paper, paper-nb, paper-nc, best-ood, search, polybic, ges, empty, variance, r2, kurtosis on 1 graph"
for title in "## In distribution: 20 nodes, 20 edges" "## Without bias heads" "## Without features of contrast"; do
    page_has "$page" "$title"
done
value() { awk -F, -v m="$2" -v k="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $10 == m { print $at[k] }' "$1"; }
section=$(sed -n '/^## Out of distribution/,/^## Without/p' "$page")
row=$(row_of /dev/stdin search <<<"$section")
is "SHD of the search" "$(column "$row" 4)" "$(printf '%.2f' "$(value "$result" search shd)")"
is "its difference to paper" "$(column "$row" 7 | sed 's/−/-/; s/^+//')" \
    "$(python3 -c "print('%.2f' % ($(value "$result" search shd) - $(value "$result" paper shd)))")"
is "what the paper reports of paper" "$(column "$(row_of /dev/stdin paper <<<"$section")" 10)" "16.3 (3.7)"
has "the row of SEA" "$page" "| Sea (FCI) |  | the paper's alone |"
for f in indist ood; do
    yes "paper_$f.svg is XML" python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$box/tiny/paper_$f.svg"
    page_has "$page" "![paper_$f.svg](paper_$f.svg)"
done
before=$(digest "$box/tiny")
tables --mode tiny --models "$models" --out "$box/tiny" --peers none
is "a second call changes nothing" "$(digest "$box/tiny")" "$before"
python3 - "$result" <<'X' # a row of the search with weights, which it has not: of another version
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
other = next(list(r) for r in rows if r[9] == "search")
other[rows[0].index("model")] = "00112233aabbccdd"
other[rows[0].index("shd")] = "99"
csv.writer(open(sys.argv[1], "w", newline=""), lineterminator="\n").writerows([rows[0], other, *rows[1:]])
X
yes "planted" grep -q 00112233aabbccdd "$result"
tables --mode tiny --models "$models" --out "$box/tiny" --peers none
is "rows of other weights are gone" "$(digest "$box/tiny")" "$before"
mkdir "$box/none"
tables --mode tiny --models "$box/none" --out "$box/without" --peers none --settings ood-20-20
code_is 0
is "without weights" "$(column "$(row_of "$box/without/paper.md" best-ood)" 3)" "no weights"
tables --mode tiny --settings ood-20-21
code_is 2
err_has "there is no ood-20-21 in the plan; it has indist-20-20, ood-20-20"
tables --mode tiny --peers wishes --out "$box/tiny"
code_is 1
err_has "there is no peer wishes; the peers are empty"

# ---- competitors, and several trainings ----
sed -i 's/"rows": 1000/"rows": 150/' "$tree/bench/tables/tables.py"
cat >"$tree/bench/tables/plan.csv" <<'X'
setting,methods,graphs,quick,weights
ood-20-20,paper paper-nb empty,4,4,
ood-20-20,peers,4,4,
X
peer() { # NAME TOLD, run.py on standard input
    mkdir "$tree/bench/peers/$1"
    cat >"$tree/bench/peers/$1/run.py"
    : >"$tree/bench/peers/$1/requirements.txt"
    printf '# %s\n\nTold: %s.\n' "$1" "$2" >"$tree/bench/peers/$1/README.md"
}
answer='import os, sys
problem, out = sys.argv[1:]
def answer(edges):
    with open(os.path.join(out, "edges.csv"), "w") as file:
        file.write("source,target,kind\\n" + "".join(f"{a},{b},directed\\n" for a, b in edges))
names = open(os.path.join(problem, "obs.csv")).readline().strip().split(",")
'
peer ges nothing <<<"${answer}answer([names[:2]])"
peer gives-up nothing <<<'import sys; sys.exit(sys.argv[0] + ": nothing can be done")'
peer sleeps nothing <<<'import time; time.sleep(60)'
peer told 'the true targets' <<<"${answer}import csv
targets = [row['variable'] for row in csv.DictReader(open(os.path.join(problem, 'targets.csv')))]
answer([(a, b) for a, b in zip(targets, targets[1:])])"
peer sometimes nothing <<<"${answer}assert float(open(os.path.join(problem, 'obs.csv')).read().split()[1].split(',')[0]) > 0, 'below 0'
answer([])"
mkdir "$tree/bench/peers/reads"
printf '# reads\n\nIts weights cannot be had.\n' >"$tree/bench/peers/reads/README.md"

some=ges,gives-up,told,sometimes,reads # with time enough on a busy machine
tables --mode quick --models "$models" --out "$box/quick" --peers sleeps --limit 1
code_is 0
tables --mode quick --models "$models" --out "$box/quick" --peers $some --limit 60
code_is 0
page=$box/quick/paper.md
result=$box/quick/results/tables/ood-20-20.csv
is "a peer with the name of a method" "$(column "$(row_of "$page" peer-ges)" 3)" 4
is "one that fails is not tried on the fourth" "$(column "$(row_of "$page" gives-up)" 3)" "0 of 3: 3 failed"
is "nor one that is too slow" "$(column "$(row_of "$page" sleeps)" 3)" "0 of 3: 3 over time"
is "one that is told" "$(column "$(row_of "$page" told)" 2)" "the true targets"
is "gets them" "$(column "$(row_of "$page" told)" 3)" 4
failures=$(awk -F, '$10 == "sometimes"' "$result" | grep -c ',failed,')
yes "one that fails on some graphs" test "$failures" -gt 0 -a "$failures" -lt 4
is "says on how many" "$(column "$(row_of "$page" sometimes)" 3)" "$((4 - failures)) of 4: $failures failed"
is "one that cannot be run" "$(column "$(row_of "$page" reads)" 3)" "cannot be run, see its page"
page_has "$page" "| ood-20-20 | \`gives-up\` | 0 of 3: 3 failed | bench/peers/gives-up/run.py: nothing can be done |"
yes "no path of the machine" test -z "$(grep -rlF "$tree" "$box/quick/results")"
yes "a row in the drawing" grep -q '>sleeps</text>' "$box/quick/paper_ood.svg"
cp "$result" "$box/before.csv"
tables --mode quick --models "$models" --out "$box/quick" --peers $some,sleeps --limit 60
yes "all of it is kept" cmp -s "$result" "$box/before.csv"

mkdir -p "$box/trained/1" "$box/trained/2" # the second training has other weights for `paper`
ln -s "$models/paper.safetensors" "$models/paper-nb.safetensors" "$box/trained/1"
ln -s "$models/paper-nb.safetensors" "$box/trained/2"
ln -s "$models/paper-indist.safetensors" "$box/trained/2/paper.safetensors"
tables --mode quick --trained "$box/trained" --out "$box/quick"
code_is 0
result=$box/quick/results/tables/trained_ood-20-20.csv
is "trainings" "$(cut -d, -f1,2 "$box/quick/results/tables/trainings.csv" | tr '\n' ' ')" \
    "seed,name 1,paper 1,paper-nb 2,paper 2,paper-nb "
is "rows of three files of weights" "$(wc -l <"$result")" 13
is "difference of the trainings, by hand" \
    "$(column "$(grep -F '| ood-20-20 | `paper-nb` | 2 | 4 |' "$page")" 8)" "$(python3 - "$result" <<'X'
import csv, statistics as st, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
found = {}
for r in rows:
    found.setdefault((r["method"], r["model"]), []).append((int(r["graph"]), float(r["f1"])))
lists = {key: [x for _, x in sorted(v)] for key, v in found.items()}
nb = next(v for (m, _), v in lists.items() if m == "paper-nb")
papers = [v for (m, _), v in lists.items() if m == "paper"]
graphs = [st.mean(p[g] for p in papers) - nb[g] for g in range(4)]
between = [st.mean(p) - st.mean(nb) for p in papers]
print(f"{st.mean(graphs):+.3f} ± {st.stdev(graphs) / 2:.3f} ({st.stdev(between) / 2 ** .5:.3f})".replace("-", "−"))
X
)"
tables --mode quick --trained "$box/none" --out "$box/quick"
code_is 1
err_has "has no SEED/NAME.safetensors"

finish
