#!/usr/bin/env bash
# A control and conditions that cannot be read or do not fit: each message names what is wrong, where
# and what to do. What concerns the tables is told by discover and check alike.
. "$(dirname "$0")/lib.sh"

table() { # NAME SEED COUNT
    awk -v seed="$2" -v count="$3" 'BEGIN {
        srand(seed)
        print "a,b,c"
        for (i = 0; i < count; i++) { a = rand(); b = a + rand(); print a "," b "," b + rand() }
    }' >"$1.csv"
}
table control 1 120
table one 2 110
table two 3 100
{ echo group,a,b,c && for name in control one two; do tail -n +2 $name.csv | sed "s/^/$name,/"; done; } >long.csv

both() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    run discover "$@" -o no
    refused "$code" "$text"
    run check "$@"
    refused "$code" "$text"
}

# ---- names ----
both 1 "two tables are named 'one', one.csv and ./one.csv; give one of them another name with NAME=FILE" \
    control.csv one.csv ./one.csv
both 1 "two tables are named 'x', one.csv and two.csv" control.csv x=one.csv x=two.csv
both 1 "table 3 has an empty name; name it with NAME=FILE" control.csv one.csv =two.csv
both 3 "three.csv" control.csv one.csv three.csv

# ---- columns, rows, cells ----
printf 'a,b\n1,2\n3,4\n' >lacking.csv
both 1 "lacking.csv lacks 'c' of control.csv; both tables need the same columns, in any order" \
    control.csv one.csv lacking.csv
printf 'a,d,e\n1,2,3\n3,4,5\n' >other.csv
both 1 "other.csv lacks 'b', 'c' of control.csv, which lacks 'd', 'e'" control.csv one.csv other.csv
printf 'a,b,c,a\n1,2,3,4\n' >twice.csv
both 1 "twice.csv" control.csv one.csv twice.csv
printf 'a,b,c\n' >none.csv
run discover control.csv one.csv none.csv -o no
refused 1 "none.csv: the table has a header but no rows; add at least one"
run check control.csv one.csv none.csv
code_is 1
out_has "error: empty-regime"
out_has "'none' has no rows"
run check none.csv one.csv two.csv
code_is 1
out_has "the control has no rows"
printf 'a,b,c\n1,2,x\n' >text.csv
both 1 "text.csv: row 2, column 3 ('c'): 'x' is not a number" control.csv one.csv text.csv
{ cat one.csv && printf '1,,3\n'; } >hole.csv
run discover control.csv two.csv hole.csv -o no
refused 1 "hole.csv: row 112, column 2 ('b')"
run check control.csv two.csv hole.csv
code_is 1
out_has "'b' has 1 missing cell ('hole': 1 of 111 rows, first in row 112)"
out_has "leaves 110 of 111 rows in 'hole'"

# ---- one long table ----
both 1 "long.csv: no row has the control value 'wild' in column 'group', which holds 'control', 'one', 'two'; name one of these after '='" \
    long.csv --conditions group=wild
both 1 "long.csv: no row has the condition 'tow' in column 'group', which holds 'control', 'one', 'two'" \
    long.csv --conditions group=control,one,tow
both 1 "long.csv: 'one' is named twice for column 'group'" long.csv --conditions group=control,one,one
both 1 "long.csv: 'control' is named twice for column 'group'" long.csv --conditions group=control,control
both 1 "long.csv: there is no column 'day'" long.csv --conditions day
both 1 "column of conditions 'group=': give COLUMN" long.csv --conditions group=
grep -e '^group' -e '^control' long.csv >alone.csv
both 1 "alone.csv: column 'group' holds only 'control', so there is a control and no condition" alone.csv --conditions group=control
sed '3s/^control/ /' long.csv >unlabelled.csv
run discover unlabelled.csv --conditions group=control -o no
refused 1 "unlabelled.csv: row 3, column 1 ('group'): the cell is missing"
run check unlabelled.csv --conditions group=control
refused 1 "unlabelled.csv: row 3 has no value in column 'group'; write the name of its condition there"

# ---- usage ----
both 2 "--conditions goes with one long table" control.csv one.csv --conditions group
both 2 "--regime pools what --conditions tells apart" long.csv --conditions group --regime group
both 2 "--index goes with a folder" control.csv one.csv two.csv --index 1
run discover control.csv one.csv two.csv -p best -o no
refused 1 "the preset best was trained on two tables"

# ---- knowledge ----
knows() { # LINES MESSAGE
    printf '%b' "$1" >known
    run discover control.csv one.csv two.csv -k known -o no --quiet
    refused 1 "$2"
}
knows 'a -> b\ntarget a @ oen\n' "known: line 2: there is no condition 'oen'; did you mean 'one'? Name one of 'one', 'two'"
knows 'target a @ nowhere\n' "known: line 1: there is no condition 'nowhere'; name one of 'one', 'two'"
knows 'target a @ control\n' "known: line 1: 'control' is the control, against which changes are told"
knows 'target x @ one\n' "known: line 1: there is no column 'x'"
knows 'target a @\n' "known: line 1: cannot understand target a @"
knows 'target a @ one\n\nnot-target a @ one\n' "known: lines 1 and 3 contradict each other: a is a target and is none in the condition 'one'"
knows 'target a\nnot-target a @ two\n' "known: lines 1 and 2 contradict each other: a is a target and is none in the condition 'two'"
printf 'target a @ two\n' >known
run discover control.csv one.csv -p search -k known -o no --quiet
refused 1 "known: line 1: there is no condition 'two'; name the only one, 'one'"

# ---- folders with several regimes ----
npy() { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': ($1), }"; }
mkdir regimes
{ npy "6, 3" && printf '\x01\x02\x03\x02\x04\x01\x05\x01\x02\x07\x02\x04\x03\x01\x06\x01\x01\x02'; } >regimes/data_interv1.npy
printf '0\n0\n2\n2\n10\n10\n' >regimes/regime1.csv
run check regimes
code_is 0
out_has "3 columns; 2 rows in the control, 2 in each of 2 conditions"
run check regimes --json
yes "names of regimes" grep -qF '"tables": ["0", "2", "10"]' <(tr '\t' ' ' <"$box/out")
printf '0\n0\n2\n2\n10\n' >regimes/regime1.csv
both 1 "regimes/regime1.csv has 5 lines, but regimes/data_interv1.npy has 6 rows; each row needs its line" regimes
printf '0\n0\n2\ntwo\n10\n10\n' >regimes/regime1.csv
both 1 "regimes/regime1.csv: line 4: 'two' is not a regime" regimes
printf '3\n3\n2\n2\n10\n10\n' >regimes/regime1.csv
run discover regimes -o no
refused 1 "regimes/data_interv1.npy: no observational rows, and there is no data file beside it"
run check regimes
code_is 1
out_has "the control has no rows"
seq 0 1001 >regimes/regime1.csv
{ npy "1002, 1" && head -c 1002 /dev/zero; } >regimes/data_interv1.npy
both 1 "regimes/regime1.csv tells 1001 regimes apart, more than the limit of 1000 conditions; give those that belong together one number" regimes
yes "nothing was written" test ! -e no
finish
