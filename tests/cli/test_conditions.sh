#!/usr/bin/env bash
# A control and several conditions: the same result from files in any order and from one long table,
# what is written of them, and what is refused.
. "$(dirname "$0")/lib.sh"

# a -> b -> c; condition `one` has another a -> b, `two` another b -> c
rows() { # NAME SEED COUNT
    awk -v name="$1" -v seed="$2" -v count="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            a = 4 * rand() - 2
            b = (name == "one" ? -1.5 : 1) * a + rand() + rand() - 1
            c = (name == "two" ? 2.5 : 1) * b + rand() + rand() - 1
            printf "%s,%.9f,%.9f,%.9f\n", name, a, b, c
        }
    }'
}
rows control 1 400 >rows
rows one 2 300 >>rows
rows two 3 250 >>rows
rows three 4 350 >>rows
{ echo group,a,b,c && cat rows; } >long.csv
for name in control one two three; do
    { echo a,b,c && grep "^$name," rows | cut -d, -f2-; } >$name.csv
done

# ---- files ----
run discover control.csv one.csv two.csv three.csv -o files --quiet
code_is 0
is "targets of the conditions" \
    "$(awk -F, 'NR == 1 || $3 == 1 { print $1 "," $2 "," $3 }' files/targets.csv)" \
    "$(printf 'condition,variable,target\none,b,1\ntwo,c,1')"
is "a row for each condition and variable" "$(wc -l <files/targets.csv | tr -d ' ')" 10
is "edges" "$(cut -d, -f1-3 files/edges.csv | sort)" \
    "$(printf 'a,b,directed\nb,c,directed\nsource,target,kind')"
yes "run.json has the conditions" grep -q '"three"' files/run.json

# ---- the same in other orders, from one table, with two threads ----
same_as_files() { # WHAT FOLDER
    for file in edges.csv probabilities.csv targets.csv; do
        yes "$1: $file" cmp -s files/$file "$2/$file"
    done
}
run discover control.csv three.csv two.csv one.csv -o turned --threads 2 --quiet
code_is 0
same_as_files "other order" turned
for name in control one two three; do
    awk -F, '{ print $3 "," $1 "," $2 }' $name.csv >moved_$name.csv
done
run discover moved_control.csv one=moved_one.csv two=moved_two.csv three=moved_three.csv \
    -o moved --quiet
code_is 0
same_as_files "other columns" moved
run discover long.csv --conditions group=control -o long --quiet
code_is 0
same_as_files "long table" long
yes "run.json has the column" grep -q '"conditions": *"group=control"' long/run.json
run discover long.csv --conditions group=control,one,two,three -o named --quiet
code_is 0
same_as_files "named conditions" named

# ---- one condition is two tables ----
run discover control.csv one.csv -p search -o pair --quiet
code_is 0
run discover long.csv --conditions group=control,one -p search -o one --quiet
code_is 0
for file in edges.csv probabilities.csv targets.csv graph.json; do
    yes "one condition: $file" cmp -s pair/$file one/$file
done

# ---- refused ----
run discover control.csv one.csv ./one.csv -o no
refused 1 "two tables are named 'one', one.csv and ./one.csv; give one of them another name with NAME=FILE"
printf 'a,b\n1,2\n3,4\n' >lacking.csv
run discover control.csv one.csv lacking.csv -o no
refused 1 "lacking.csv lacks 'c' of control.csv"
printf 'a,b,c\n' >none.csv
run discover control.csv one.csv none.csv -o no
refused 1 "none.csv"
printf 'a,b,c\n1,2,x\n' >text.csv
run discover control.csv one.csv text.csv -o no
refused 1 "text.csv: row 2, column 3 ('c'): 'x' is not a number"
run discover long.csv --conditions group=wild -o no
refused 1 "no row has the control value 'wild' in column 'group', which holds 'control', 'one', 'three', 'two'"
run discover long.csv --conditions day -o no
refused 1 "long.csv: there is no column 'day'"
run discover control.csv one.csv two.csv -p best -o no
refused 1 "the preset best was trained on two tables"
run discover control.csv one.csv --conditions group -o no
refused 2 "--conditions goes with one long table"
run discover long.csv --conditions group --regime group -o no
refused 2 "--regime pools what --conditions tells apart"
run discover control.csv one.csv two.csv --index 1 -o no
refused 2 "--index goes with a folder"
yes "nothing was written" test ! -e no
finish
