#!/usr/bin/env bash
# Long names in the printed result: cut, yet all different, whole characters, columns that line up.
. "$(dirname "$0")/lib.sh"

long=measurement_of_the_very_long_instrument_name_channel_
cat >names <<E
${long}A
${long}B
${long}AB
same_start_$(printf 'x%.0s' $(seq 30))_LEFT_$(printf 'y%.0s' $(seq 40))
same_start_$(printf 'x%.0s' $(seq 30))_RIGHT_$(printf 'y%.0s' $(seq 40))
short
a_name_of_just_27_character
a_name_of_just_28_characters
温度測定装置の長い名前の列_1_センサー温度測定装置の長い名前
温度測定装置の長い名前の列_2_センサー温度測定装置の長い名前
une_tempe$(printf '\314\201')rature_tre$(printf '\314\200')s_longue_mesure$(printf '\314\201')e_1
E
count=$(wc -l <names)
# a chain: each variable causes the next
table() { # SHIFT
    paste -sd, names
    awk -v n="$count" -v shift="$1" 'BEGIN { srand(7 + shift)
        for (r = 0; r < 400; r++) { line = ""; before = 0
            for (k = 0; k < n; k++) { z = 0; for (u = 0; u < 6; u++) z += rand() - 0.5
                before = 0.9 * before + z + (k == 3 || k == 9 ? shift : 0); line = line (k ? "," : "") before }
            print line } }'
}
table 0 >before.csv
table 2 >after.csv
run discover before.csv after.csv -p ges -b 0 -o out -q
code_is 0
yes "whole characters" iconv -f UTF-8 -t UTF-8 "$box/out" -o /dev/null

# The rows of the table are the first edges of edges.csv: which label is which name?
rows=$(sed -n '/^Strongest edges/,/^$/p' "$box/out" | grep -cE '^  .* (->|-) ')
yes "edges to look at" test "$rows" -ge 8
sed -n '/^Strongest edges/,/^$/p' "$box/out" | grep -E '^  .* (->|-) ' | head -n "$rows" |
    sed -E 's/^  (.*) (->|-) ([^ ]+) +[01]\..*/\1\n\3/' >labels
sed 1d out/edges.csv | head -n "$rows" | cut -d, -f1,2 | tr , '\n' >known
paste known labels | sort -u >pairs
is "one label for each name" "$(cut -f1 pairs | sort -u | wc -l)" "$(wc -l <pairs)"
is "one name for each label" "$(cut -f2 pairs | sort -u | wc -l)" "$(wc -l <pairs)"
label() { awk -F'\t' -v name="$1" '$1 == name { print $2 }' pairs; }
is "what tells them apart is at the end" "$(label "${long}A") $(label "${long}AB")" \
    "measurem...t_name_channel_A measurem..._name_channel_AB"
is "or in the middle" "$(label "$(sed -n 4p names)") $(label "$(sed -n 5p names)")" \
    "same_sta...xxx_LEFT_yyyy... same_sta...xxx_RIGHT_yyy..."
is "a short name stays" "$(label a_name_of_just_27_character)" a_name_of_just_27_character
is "a longer one does not" "$(label a_name_of_just_28_characters)" "a_name_of_just_28_charac..."
is "wide characters" "$(label "$(sed -n 9p names)")" "温度測定...前の列_1_セン..."

# Columns line up: before the first probability everything is as wide, wide characters taken twice.
if command -v python3 >/dev/null; then
    yes "columns line up" python3 - "$box/out" <<'E'
import re, sys, unicodedata
def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
rows = [line for line in lines if re.match(r"  .* -?>? ?.* [01]\.\d\d ", line)]
ends = {width(re.match(r"(.*?[01]\.\d\d)  ", row).group(1)) for row in rows}
assert len(rows) >= 8 and len(ends) == 1, (rows, ends)
E
fi
yes "the targets have labels, too" grep -q "same_sta...xxx_LEFT_yyyy..." "$box/out"

# A name that looks like the label of another: neither is cut.
sed -i '1s/short/measurem...t_name_channel_A/' before.csv after.csv
run discover before.csv after.csv -p ges -b 0 -o again -q
code_is 0
out_has " ${long}A "
out_has " measurem...t_name_channel_A "

# JSON and the files have whole names.
run discover before.csv after.csv -p ges -b 0 -o again -q --json
out_has "\"$(sed -n 4p names)\""
finish
