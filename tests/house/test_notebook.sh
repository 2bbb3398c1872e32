#!/usr/bin/env bash
# Are the tables of the pages what the results say, and does tools/notebook.py find it when they are not? Plants
# one fault of each kind in a copy of the pages and results.
set -u
if ! python3 tools/notebook.py --check; then
    echo "python3 tools/notebook.py writes the tables anew"
    exit 1
fi
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/tools"
cp -r README.md docs bench models "$box"
cp -r tools/notebook tools/notebook.py "$box/tools"
cd "$box" || exit 1
failed=0
planted=0
finds() { # FILE WHAT: the check fails and says this; then the file is as before
    planted=$((planted + 1))
    if python3 tools/notebook.py --check >found || ! grep -qF -e "$2" found; then
        echo "not found: $2"
        cat found
        failed=$((failed + 1))
    fi
    cp "$box/before" "$1"
}
plant() { # FILE SCRIPT: changes the file by sed, which must change it
    cp "$1" before
    sed -i "$2" "$1"
    ! cmp -s "$1" before || { echo "nothing planted in $1 by $2" && exit 1; }
}
page=docs/notebook/search.md

plant $page '/<!-- table: search_accuracy -->/,/<!-- end -->/s/| ood-20-30 | 30 | 2/| ood-20-30 | 30 | 3/'
finds $page "$page: the table search_accuracy is not what the results say"
plant $page 's/\(<!-- value: search_absent_true -->\)[0-9]/\19/'
finds $page "$page: the value search_absent_true is not what the results say"
plant $page '/<!-- table: search_accuracy -->/,/<!-- end -->/s/^60000/60001/'
finds $page "$page: the table search_accuracy is not what the results say"
plant $page 's/<!-- table: search_orders -->/<!-- table: search_wishes -->/'
finds $page "$page: no definition of the table search_wishes"
plant $page 's/<!-- table: search_orders -->//'
finds $page "the table search_orders stands in no page"
plant $page '0,/^<!-- end -->/s/^<!-- end -->//'
finds $page "$page: a marker without its other half"
plant $page '$a It has 0.8 wrong edges.'
finds $page "$page: a decimal number outside markers: It has 0.8 wrong edges."
plant $page '$a | 30 | best |'
finds $page "$page: a table with numbers outside markers: | 30 | best |"
page=docs/manual/choose.md
plant $page '$a | 30 | 14.7 |'
finds $page "$page: a measured number in a table outside markers: 14.7"
plant $page '$a | rows | 27% |'
finds $page "$page: a measured number in a table outside markers: 27%"
plant README.md '$a | `best` | 0.20 ± 0.15 / 0.996 | 5 GB |'
finds README.md "README.md: a measured number in a table outside markers: 0.20 ± 0.15 / 0.996"
cp $page before
printf '| from 10 to 100 | 0 | ≥ 5%% of `0.5` | 1,000 | `27%%` |\n' >>$page # limits and code are none
python3 tools/notebook.py --check >found || { cat found; failed=$((failed + 1)); }
cp before $page
page=docs/notebook/search.md
plant README.md '$a <!-- table: readme_accuracy -->\n<!-- end -->'
finds README.md "README.md: the table readme_accuracy is not what the results say"

result=bench/results/accuracy/accuracy_wild-20-20.csv
plant $result '/,search,/{s/,search,normal,0,0,[0-9]*,/,search,normal,0,0,7,/;}'
finds $result "$page: the table search_accuracy is not what the results say"
plant bench/results/search/discrete.csv 's/commit efb1a75/commit 0000000/'
finds bench/results/search/discrete.csv "$page: the table search_discrete is not what the results say"
cp bench/results/search/errors.csv bench/results/search/dreams.csv
cp README.md before
finds README.md "bench/results/search/dreams.csv: no table uses it, and KEPT does not name it"
rm bench/results/search/dreams.csv

plant docs/notebook/paper_indist.svg 's/in distribution/in a dream/'
finds docs/notebook/paper_indist.svg "docs/notebook/paper_indist.svg: the drawing is not what the results say"
plant bench/tables/reported.csv 's/^in-distribution,indist-20-20,Scone,f1,0.655/in-distribution,indist-20-20,Scone,f1,0.7/'
finds bench/tables/reported.csv "docs/notebook/paper.md: the table paper_indist is not what the results say"

# Written anew, pages are what they were.
cp $page before
sed -i 's/| ood-20-30 | 30 | 2/| ood-20-30 | 30 | 3/' $page
python3 tools/notebook.py >/dev/null
cmp -s $page before || { echo "$page is not written as it was" && failed=$((failed + 1)); }
echo "$planted faults planted, $failed not found"
[ "$failed" = 0 ]
