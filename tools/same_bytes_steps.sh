# same_bytes_steps.sh - the commands that tools/same_bytes.sh runs; sourced by it. step CODE ARGUMENTS...

# ---- data ----
step 0 simulate custom --nodes 8 --edges 9 --mechanisms polynomial,sigmoid --samples 600 --seed 3 --count 2 -o sim
step 0 simulate ood-20-20 --count 1 --samples 300 --seed 5 -o ood -t 1
step 0 simulate wild-20-20 --count 1 --samples 400 --seed 5 -o wild --json
step 0 simulate train-ood --count 2 --samples 200 --nodes 6 --edges 7 --format dcdi --seed 9 -o folders
step 0 simulate --list
arm_rows() { awk -F, -v OFS=, -v arm="$2" 'NR == 1 {if (arm == "before") print "arm", $0; next} {print arm, $0}' "$1"; }
{ arm_rows sim/g0/obs.csv before; arm_rows sim/g0/int.csv after; } >all.csv
awk -F, -v OFS=, '{for (i = NF; i > 1; i--) printf "%s,", $i; print $1}' sim/g0/obs.csv >turned.csv
awk -F, -v OFS=, 'NR == 5 {$3 = ""} NR == 9 {$1 = "nan"} {print}' sim/g0/obs.csv >holes.csv
awk -F, -v OFS=, 'NR > 1 {$2 = 4} {print}' sim/g0/obs.csv >constant.csv
awk -F, -v OFS=, 'NR > 1 {$2 = 4} {print}' sim/g0/int.csv >constant_int.csv
printf 'X0 -> X1\nX2 !-> X3\ntier 1: X4 X5\ntier 2: X6\ntarget X7\nnot-target X0\n' >knowledge.txt
printf 'X0 -> X1\nX1 -> X0\n' >contradiction.txt

# ---- check ----
step 0 check sim/g0/obs.csv sim/g0/int.csv
step 0 check all.csv --regime arm=before --json
step 1 check holes.csv sim/g0/int.csv
step 0 check constant.csv constant_int.csv -t 2

# ---- discover: presets, threads, both forms of output, rules, knowledge ----
step 0 discover sim/g0/obs.csv sim/g0/int.csv -o out_default --model weights -t 1
step 0 discover turned.csv sim/g0/int.csv -o out_default_2 --model weights -t 2 --json
for preset in search ges polybic paper paper-nb paper-nc best best-ood; do
    case $preset in
    ges | polybic) step 0 discover sim/g1 -p $preset -o "out_$preset" -t 2 --bootstrap 4 --seed 2 ;;
    search) step 0 discover sim/g1 -p $preset -o out_search -t 2 ;;
    *) step 0 discover sim/g1 -p $preset --model weights -o "out_$preset" -t 2 --seed 2 ;;
    esac
done
step 0 discover ood/g0 -p paper --model weights -o out_paper_ood --rules all -q -t 1
step 0 discover wild/g0 -p search --effort fast -o out_wild --json
step 0 discover sim/g0 -p search --effort thorough -o out_thorough --rules ssi,scr -a 0.01
step 0 discover sim/g0 -p search -k knowledge.txt -o out_knowledge --rules none
step 1 discover sim/g0 -p search -k contradiction.txt -o out_contradiction
step 0 discover all.csv --regime arm=before -p search --max-parents 2 --threshold 0.3 --margin 0 -o out_long
step 0 discover holes.csv sim/g0/int.csv --na drop -p search -o out_holes
step 1 discover holes.csv sim/g0/int.csv -o out_refused
step 0 discover constant.csv constant_int.csv -p search -o out_constant
step 0 discover folders --index 2 -p search -o out_folders

# ---- explain, eval ----
step 0 explain out_default
step 0 explain out_search --json
step 0 explain out_default X0 X1
step 0 explain out_search --check
step 0 eval out_default sim/g0
step 0 eval sim sim --json
step 0 eval out_knowledge/graph.graphml sim/g0/graph.csv -p out_knowledge/probabilities.csv

# ---- bench, train, model, verify ----
step 0 bench custom --nodes 6 --edges 6 --samples 300 --count 2 --bootstrap 3 --model weights -o bench.csv -t 2
step 0 bench wild-20-20 --samples 200 --nodes 7 --edges 8 --count 2 --methods search,r2,kurtosis --json -t 1
step 0 train --graphs 6 --nodes 6 --edges 6 --samples 300 --steps 6 --every 2 --config width=16,blocks=2 -o trained.safetensors -t 2
step 0 train -p best-ood --graphs 6 --nodes 5 --samples 300 --steps 4 --every 2 --stream -o best.safetensors -t 1 --json
rm trained.safetensors trained.safetensors.run/checkpoint-000000000006.safetensors
step 0 train --graphs 6 --nodes 6 --edges 6 --samples 300 --steps 6 --every 2 --config width=16,blocks=2 --resume -o trained.safetensors -t 2
step 0 model trained.safetensors
step 0 model --preset best --json
step 0 discover sim/g0 -p paper --model trained.safetensors -o out_trained
step 0 verify --nodes 4 -o verify.csv
step 0 verify --nodes 3 --subset-size 3 --json -t 1
step 0 verify --data --nodes 4 --rows 200,400 --count 3 --restarts 10 --subsets 1,2 -o consistency

# ---- help and errors ----
step 0 help
for command in discover explain check simulate eval bench train model verify; do step 0 "$command" --help; done
step 2 discover sim/g0 --efort fast -o x
step 3 check sim/g0/obs.csv missing.csv
