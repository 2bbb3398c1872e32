#!/usr/bin/env bash
# Tables that no model was made for, through the whole program: finite numbers and a graph without
# cycles for every preset, or one line that says what to change. tests/unit/discover/test_discover_hostile.c has more kinds
# of trouble; here it is what goes through files.
. "$(dirname "$0")/lib.sh"
presets="search ges polybic"
rows=150
[ -z "${SCONE_SLOW:-}" ] || rows=40 # under sanitizers

# make NAME ROWS AWK-PROGRAM: NAME_obs.csv and NAME_int.csv. The program prints a line for each row
# from r (regime), i (row), u() uniform and z() normal.
make() {
    for r in 0 1; do
        awk -v r=$r -v n="$2" 'function u() { return (rand() + 1e-9) / (1 + 2e-9) }
            function z() { return sqrt(-2 * log(u())) * cos(6.283185307179586 * u()) }
            BEGIN { srand(7 + r); OFS = ","; for (i = 1; i <= n; i++) {'"$3"'} }' >rows.csv
        columns=$(head -n 1 rows.csv | awk -F, '{ print NF }')
        { seq -s, -f 'x%g' "$columns"; cat rows.csv; } >"$1_$([ $r = 0 ] && echo obs || echo int).csv"
    done
}

# Every number of the result is one, and the arrows have an order.
sound() {
    is "$1: probabilities" "$(awk -F, 'NR > 1 { for (k = 2; k <= NF; k++)
        if ($k !~ /^[0-9.e+-]+$/ || $k + 0 < 0 || $k + 0 > 1) print NR, k, $k }' out/probabilities.csv)" ""
    is "$1: targets" "$(awk -F, 'NR > 1 && ($3 !~ /^[01]$/ || $4 !~ /^[0-9.e+-]+$/ || $5 !~ /^[0-9.e+-]+$/ || $5 + 0 < 0 ||
        $5 + 0 > 1 || $6 !~ /^[0-9.e+-]+$/ || $7 == "")' out/targets.csv)" ""
    is "$1: edges" "$(awk -F, 'NR > 1 && ($4 + $5 + $6 < 0.9995 || $4 + $5 + $6 > 1.0005)' out/edges.csv)" ""
    is "$1: no cycle" "$(awk -F, '$3 == "directed" { print $1, $2 }' out/edges.csv | tsort 2>&1 >/dev/null)" ""
    is "$1: no NaN" "$(grep -liE '[ ,:"](-?nan|-?inf)[ ,"]' out/*)" ""
}

try() { # NAME: all presets on NAME_obs.csv and NAME_int.csv
    for preset in $presets; do
        rm -rf out
        run discover "$1_obs.csv" "$1_int.csv" -o out -q -p $preset -e fast --threads 1
        code_is 0
        sound "$1, $preset"
    done
}

make discrete $rows 'a = z(); b = a + z(); c = (1 - 2 * r) * b + z()
    print (a > 0), int(b + 9), int(2.5 * c + 20), (u() < 0.8 ? 0 : int(exp(a))), int(10 * b) / 10'
try discrete
make dependent $rows 'a = z(); b = (1 + r) * a + z(); print a, a, 3 - 2 * a, a * a, b, a + b, 4, r'
try dependent
yes "constant columns are told" grep -qF 'column x7: constant, so without edges' out/run.json
make heavy $rows 'a = z() / z(); b = a + z() / z(); e = exp(z() / z() > 690 ? 690 : z() / z())
    print a, b, (e > 1e300 ? 1e300 : e), (i == 3 ? 1e300 : z()), 10 ^ (300 * (2 * u() - 1))'
try heavy
make ends $rows 'a = z(); b = a + (1 + r) * z()
    printf "%de-324,%.6ge-310,%.9ge307,%.9ge307\n", 5 * int(40 * u()), a, a < -9 ? -9 : a, b < -9 ? -9 : b'
try ends
make wide 5 'for (k = 1; k < 9; k++) printf "%.9g,", z(); print z()'
try wide
make two 2 'print z(), z(), z()'
try two
make one $rows 'print z() + r'
try one
yes "a single variable can be a target" grep -qE '^[^,]+,x1,1,[0-9.]+,[0-9.e-]+,' out/targets.csv

# ---- the same table twice ----
make plain 150 'a = z(); b = sin(a) + a + 0.5 * z(); c = (1 + r) * b + 0.5 * z(); print a, b, c, z()'
{ head -n 1 plain_obs.csv; tail -n +2 plain_obs.csv | sort; } >turned.csv
for preset in $presets; do
    run discover plain_obs.csv plain_obs.csv -o same --force -p $preset -e fast
    code_is 0
    err_has "warning: both tables are the same; nothing changed between them, so there are no targets"
    out_has "No mechanism is found to have changed"
    is "$preset: no targets" "$(cut -d, -f3 same/targets.csv | sort -u | tr '\n' ' ')" "0 target "
    run discover plain_obs.csv turned.csv -o same --force -p $preset -e fast
    code_is 0
    err_has "both tables are the same but for the order of the rows"
    is "$preset: no targets" "$(cut -d, -f3 same/targets.csv | sort -u | tr '\n' ' ')" "0 target "
done

# ---- units and the order of columns ----
change() { # FACTOR OFFSET
    awk -F, -v f="$1" -v o="$2" 'NR == 1 { print; next }
        { for (k = 1; k <= NF; k++) printf "%.17g%s", $k * f + o, k < NF ? "," : "\n" }'
}
for table in obs int; do
    change 1e6 0 <plain_$table.csv >large_$table.csv
    change 1 1e8 <plain_$table.csv >far_$table.csv
    awk -F, -v OFS=, '{ print $3, $1, $4, $2 }' plain_$table.csv >moved_$table.csv
done
arrows() { cut -d, -f1-3 "$1/edges.csv" | sort; }
for preset in $presets; do
    run discover plain_obs.csv plain_int.csv -o plain -q -p $preset -e fast
    code_is 0
    yes "$preset finds something" test "$(wc -l <plain/edges.csv)" -gt 2
    for kind in large far; do
        run discover ${kind}_obs.csv ${kind}_int.csv -o $kind -q -p $preset -e fast
        code_is 0
        is "$preset, $kind: same graph" "$(arrows $kind)" "$(arrows plain)"
        is "$preset, $kind: same targets" "$(cut -d, -f2,3 $kind/targets.csv | sort)" "$(cut -d, -f2,3 plain/targets.csv | sort)"
    done
    run discover moved_obs.csv moved_int.csv -o moved -q -p $preset -e fast
    code_is 0
    is "$preset: targets whatever the order of the columns" "$(cut -d, -f2- moved/targets.csv)" "$(cut -d, -f2- plain/targets.csv)"
    for file in edges.csv probabilities.csv graph.json graph.dot graph.graphml report.html; do
        yes "$preset: $file whatever the order of the columns" cmp -s plain/$file moved/$file
    done
done

# ---- refused, with what to do ----
head -n 1 plain_obs.csv >none.csv
head -n 2 plain_obs.csv >single.csv
sed '4s/^[^,]*/inf/' plain_obs.csv >infinite.csv
sed '4s/^[^,]*/1e400/' plain_obs.csv >overflow.csv
sed '1s/$/,arm/; 2,$s/$/,c/' plain_obs.csv >arms.csv
for preset in $presets; do
    run discover plain_obs.csv none.csv -o no -q -p $preset
    refused 1 "none.csv"
    run discover single.csv plain_int.csv -o no -q -p $preset
    refused 1 "the observational table has 1 row; at least 2 are needed"
    run discover infinite.csv plain_int.csv -o no -q -p $preset
    refused 1 "infinite.csv: row 4, column 1 ('x1')"
    run discover overflow.csv plain_int.csv -o no -q -p $preset
    refused 1 "overflow.csv: row 4, column 1 ('x1')"
    run discover arms.csv --regime arm=c -o no -q -p $preset
    code_is 1
    err_has "arm"
done
yes "nothing was written" test ! -e no

# ---- benchmarks at the ends of their range ----
# seven that need no weights, and those whose weights come with the program
methods=7
for preset in paper paper-nb paper-nc best best-ood; do
    if [ -f "$source_dir/models/$preset.safetensors" ]; then methods=$((methods + 1)); fi
done
for options in "--nodes 2 --edges 1 --samples 2" "--nodes 8 --edges 8 --samples 4" "--nodes 4 --edges 6 --samples 40" \
    "--nodes 4 --edges 0 --samples 40" "--nodes 4 --edges 4 --samples 40 --p-target 0" \
    "--nodes 4 --edges 4 --samples 40 --p-target 1"; do
    run bench custom $options --count 2 --effort fast -o bench.csv --force -q
    code_is 0
    is "rows of the table" "$(sed 1,2d "$box/out" | wc -l)" "$methods"
    is "numbers" "$(awk -F, 'NR > 1 { for (k = 14; k <= 32; k++) if ($k != "" && $k !~ /^[0-9.e+-]+$/) print NR, k, $k }' bench.csv)" ""
done
run bench custom --nodes 4 --edges 4 --samples 1 -o bench1.csv
refused 1 "the setting custom has 1 row a table; use --samples 2 or more"
yes "nothing was written" test ! -e bench1.csv
finish
