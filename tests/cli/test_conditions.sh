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

# ---- a DCDI folder with several regimes is the same as files ----
model=(simulate custom --nodes 4 --edges 3 --samples 240 --seed 3 --quiet)
run "${model[@]}" -o tables
run "${model[@]}" -o regimes --format dcdi
awk '{ print $1 == 0 ? 0 : NR % 2 ? 11 : 2 }' regimes/regime1.csv >numbers
mv numbers regimes/regime1.csv
awk 'NR == 1 || NR % 2 == 0' tables/g0/int.csv >11.csv
awk 'NR == 1 || NR % 2 == 1' tables/g0/int.csv >2.csv
run discover 0=tables/g0/obs.csv 11.csv 2.csv -o of_files --quiet
code_is 0
run discover regimes -o of_folder --quiet
code_is 0
for file in edges.csv probabilities.csv targets.csv; do
    yes "regimes: $file" cmp -s of_files/$file of_folder/$file
done
is "conditions" "$(cut -d, -f1 of_folder/targets.csv | uniq | tr '\n' ' ')" "condition 2 11 "
run check 0=tables/g0/obs.csv 11.csv 2.csv
cp "$box/out" told
run check regimes --index 1
same "check of regimes" told <"$box/out"

# ---- what is known of one condition ----
printf 'target c @ one\nnot-target b @ one\ntarget a\n' >known
run discover control.csv one.csv two.csv three.csv -k known -o known_of_one --quiet
code_is 0
is "known targets" \
    "$(awk -F, 'NR > 1 && $3 == 1 { print $1 "," $2 }' known_of_one/targets.csv | sort | tr '\n' ' ')" \
    "one,a one,c three,a two,a two,c "
yes "edges are as before" cmp -s files/edges.csv known_of_one/edges.csv
is "reasons" "$(grep -c 'known beforehand' known_of_one/targets.csv)" 5
printf 'target a @ one\n' >known
run discover control.csv one.csv -p search -k known -o known_pair --quiet
code_is 0
is "the changed table by name" "$(awk -F, '$2 == "a" { print $3 }' known_pair/targets.csv)" 1
run discover one=control.csv "x @ y=one.csv" two.csv -p search -o quoted --quiet
printf 'target a @ "x @ y"\n' >known
run discover one=control.csv "x @ y=one.csv" two.csv -k known -o quoted --quiet
code_is 0
is "a name in quotes" "$(grep -c '^x @ y,a,1,' quoted/targets.csv)" 1

# ---- the preflight ----
awk -F, 'NR == 1 { print } NR > 1 { printf "%s,7,%.9f\n", $1, 1000 * $3 }' control.csv >flat.csv
head -n 31 two.csv >few.csv
run check control.csv one.csv two.csv flat.csv few.csv
code_is 0
out_has "3 columns; 400 rows in the control, 30 to 400 in each of 4 conditions"
out_has "warning: constant-in-one-regime: b"
out_has "'b' is 7 in every row of 'flat' but varies in other tables"
out_has "'c' looks the same in 'flat' as in the control up to a factor of 1000"
out_has "'few' has 30 rows"
cp "$box/out" told
run check control.csv few.csv flat.csv two.csv one.csv
same "other order" told <"$box/out"
for name in control one two flat few; do awk -F, '{ print $3 "," $1 "," $2 }' $name.csv >m_$name.csv; done
run check m_control.csv one=m_one.csv few=m_few.csv two=m_two.csv flat=m_flat.csv --threads 2
same "other columns" told <"$box/out"
{ echo group,a,b,c && for name in two control flat few one; do tail -n +2 $name.csv | sed "s/^/$name,/"; done; } >all.csv
run check all.csv --conditions group=control
same "long table" told <"$box/out"
run check control.csv one.csv two.csv flat.csv few.csv --json
code_is 0
tr -d '[:space:]' <"$box/out" >plain
has "JSON" plain '"tables":["control","few","flat","one","two"],"rows":[400,30,400,300,250]'
has "JSON" plain '"code":"constant-in-one-regime","columns":["b"],"conditions":["flat"]'
run discover control.csv one.csv two.csv flat.csv few.csv -o repeated
code_is 0
err_has "warning: 'b' is 7 in every row of 'flat' but varies in other tables"
err_has "warning: 'few' has 30 rows"
# one condition is two tables
run check control.csv one.csv --json
cp "$box/out" two_tables
run check long.csv --conditions group=control,one --json
same "one condition" two_tables <"$box/out"
# a finding about many conditions is one
for i in $(seq 40); do cp flat.csv f$i.csv; done
run check control.csv one.csv f[0-9]*.csv
is "findings" "$(grep -c '^[a-z]*: [a-z]' "$box/out")" 3
out_has "it has one value as well in 'f2', 'f3', 'f4', 'f5', 'f6' and 34 more conditions"

finish
