#!/usr/bin/env bash
# scone verify: the table, the claims, the file, what is refused.
. "$(dirname "$0")/lib.sh"

run verify --nodes 3
code_is 0
err_is <<'X'
CLOSING LINE
X
out_is <<'X'
Graphs of 3 nodes, all subsets

Share of R that rules and closure find, by the number of targets:
targets  cases  with R    R     ssi     cvt     dpt  ssi-any     scr  ssi+cvt   paper  ssi-any+scr     all
any        175     114  192  0.5312  0.0000  0.0000   0.5312  0.5312   0.5312  0.5312       1.0000  1.0000
1           75      57   96  0.5625  0.0000  0.0000   0.5625  0.5625   0.5625  0.5625       1.0000  1.0000
2           75      57   96  0.5000  0.0000  0.0000   0.5000  0.5000   0.5000  0.5000       1.0000  1.0000
3           25       0    0       -       -       -        -       -        -       -            -       -

By the letter of its definition G_test has 294 directions more than the reduced one;
102 of these are not decided by what was observed (D19).

holds: DirE(H_obs) is within DirE(H_per)
holds: DirE(H_per) is within DirE(H_ctr)
holds: DirE(H_ctr) is within DirE(G_test)
holds: no direction of SSI contradicts G
holds: no direction of CVT contradicts G
holds: no direction of DPT as used contradicts G
holds: no direction of SSI with any witness contradicts G
holds: no direction of SCR contradicts G
holds: the closure is idempotent, free of order, and what all consistent extensions share
holds: DirE(G_test) is within the one by the letter (D19)
holds: SSI with any witness, SCR and closure give G_test
holds: G_test is the closure of H_obs with the edges between always changed and other nodes
holds: no direction of DPT as printed contradicts G
X

# ---- 4 nodes: the printed discriminating path fails, as known; the file ----
run verify -n 4 -k all -o table.csv -q
code_is 0
err_empty
out_has "FAILS: no direction of DPT as printed contradicts G"
out_has "in 240 cases (as known; scone does not use it so); the smallest: A -> D, B -> A, B -> C, B -> D, C -> A; targets A; at A -> C"
is "one claim fails" "$(grep -c '^FAILS' "$box/out")" 1
is "first row" "$(sed -n 2p table.csv | cut -d, -f1-15)" "4,all,any,8145,5912,14160,7944,0,288,7944,7968,7944,7944,14160,14160"
is "rows" "$(wc -l <table.csv)" 6
cp "$box/out" whole
for threads in 1 2 3; do
    run verify --nodes 4 --subset-size=all -o "t$threads.csv" -q --threads $threads
    out_is <whole
    yes "the same file with $threads threads" cmp -s table.csv "t$threads.csv"
done

run verify --nodes 4 --subset-size 3 --json -q
code_is 0
err_empty
for pair in '"nodes":	4' '"subset_size":	3' '"r":	13944' '"ssi+cvt":	4632' '"ssi-any":	7944' '"ssi-any+scr":	13944' '"ok":	true'; do
    out_has "$pair"
done
yes "JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$box/out"

# ---- what the documentation shows is what the command prints ----
for nodes in 4 5; do
    [ $nodes = 5 ] && [ -n "${SCONE_SLOW:-}" ] && continue
    run verify --nodes $nodes -q
    code_is 0
    sed -n "/^### .scone verify --nodes $nodes./,/^### /p" "$source_dir/docs/notebook/theory.md" |
        sed -n '/^```$/,/^```$/p' | sed '1d;$d' >shown
    out_is <shown
done

# ---- with data ----
run verify --data --rows 100,400 --subsets 1,4,16 --count 6 --restarts 50 -o curves
code_is 0
err_is <<'Y'
CLOSING LINE
Y
out_has "6 simulated graphs of 4 nodes, subsets of 3"
is "files" "$(echo $(ls curves))" "consistency.csv consistency.svg coverage.csv"
is "head" "$(head -n 1 curves/consistency.csv)" "mechanisms,nodes,subset_size,rows,subsets,alpha,graphs,equal,share,error,equal_known,equal_obs,literals,literal_right,false_changes,missed_changes,directions,found,found_right"
is "points" "$(cut -d, -f1-7 curves/consistency.csv | sed 1d)" "linear,4,3,100,all,0.02,6
linear,4,3,400,all,0.0125,6
linear,4,3,400,1,0.0125,6
linear,4,3,400,4,0.0125,6
linear,4,3,400,16,0.0125,6"
is "all subsets with known answers give G_test" "$(awk -F, '$5 == "all" {print $11}' curves/consistency.csv | sort -u)" 6
is "coverage" "$(cut -d, -f4,5 curves/coverage.csv | sed 1d | tr '\n' ' ')" "1,1 4,1 4,2 4,3 16,1 16,2 16,3 "
yes "SVG" python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' curves/consistency.svg
is "a curve for each series" "$(grep -c '^<path' curves/consistency.svg)" 8
cp "$box/out" whole
run verify --data --rows 100,400 --subsets 1,4,16 --count 6 --restarts 50 -o again -q --threads 3
out_is <whole
yes "the same files with 3 threads" diff -r curves again
touch curves/mine
run verify --data --rows 100 --subsets 2 --count 2 --mechanisms sigmoid,nn_add --nodes 5 -k 2 --restarts 5 -o curves -q --json
code_is 0
yes "JSON" python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["nodes"] == 5 and len(r["points"]) == 2' "$box/out"
is "rewritten" "$(sed -n 2p curves/consistency.csv | cut -d, -f1-5)" "sigmoid+nn_add,5,2,100,all"
yes "what is not ours stays" test -e curves/mine
mkdir other
echo mine >other/coverage.csv
run verify --data --rows 60 --subsets 1 --count 1 --restarts 1 -o other -q
refused 1 "other: already holds coverage.csv, which no earlier run of this command wrote"
is "not overwritten" "$(cat other/coverage.csv)" mine
run verify --data --rows 60 --subsets 1 --count 1 --restarts 1 -o other -q --force
code_is 0

# ---- refused ----
run verify --nodes 4 --rows 100
refused 2 "verify: --rows is for --data"
run verify --nodes 4 --seed 0
refused 2 "verify: --seed is for --data"
run verify --data --rows 100,,200
refused 2 "--rows takes up to 16 numbers with commas, not '100,,200'"
run verify --data --subsets 4,x
refused 2 "--subsets takes up to 16 numbers with commas, not '4,x'"
run verify --data --mechanisms cubic
refused 2 "--mechanisms: 'cubic' is not one of"
run verify --data --subset-size all
refused 2 "--data takes a number for --subset-size, not all"
run verify --data --rows 400,100
refused 1 "the numbers of rows must rise, from 50 on"
run verify --data --rows 20
refused 1 "the numbers of rows must rise, from 50 on"
run verify --data --subsets 2,2
refused 1 "the numbers of subsets must rise"
run verify --data --nodes 7
refused 1 "graphs from data have 3 to 6 nodes, not 7"
run verify --data --nodes 3 --subset-size 4
refused 1 "subsets of 4 among 3 nodes say nothing about an edge"
run verify
refused 2 "verify: give the number of nodes by --nodes"
run verify --nodes 8
code_is 2
run verify --nodes 4 --subset-size five
refused 2 "--subset-size takes a number or all, not 'five'"
run verify --nodes 4 --subset-size 5
refused 1 "subsets of 5 among 4 nodes say nothing about an edge"
run verify --nodes 4 --subset-size 1
refused 1 "subsets of 1 among 4 nodes say nothing about an edge"
run verify 4
refused 2 "verify: does not take '4'"
run verify --nodes 2 -o nowhere/table.csv
code_is 3
finish
