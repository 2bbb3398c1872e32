#!/usr/bin/env bash
# Do the pages say what is there (test_pages.py), and would it be noticed if not? Plants one fault of each kind in
# a page of a copy of the tree, and lines without faults between them.
set -u
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
if ! python3 tests/house/test_pages.py >"$box/found"; then
    cat "$box/found"
    exit 1
fi
mkdir "$box/tree"
tar -c --exclude=./build --exclude=./out --exclude=./.git --exclude=./models . | tar -x -C "$box/tree"
cd "$box/tree" || exit 1
page=docs/manual/wishes.md
echo '# Wishes' >$page
number=1
finds() { # LINE FAULT: the page gets a line with this fault,
    number=$((number + 1))
    printf '%s\n' "$1" >>$page
    echo "$page:$number: $2" >>"$box/wanted"
}
passes() { # LINE: or one without
    number=$((number + 1))
    printf '%s\n' "$1" >>$page
}
finds '[more](nowhere.md)' 'the link nowhere.md leads nowhere'
finds '[more](check.md#wishes)' 'docs/manual/check.md has no heading #wishes'
passes '[more](check.md#units), [here](#wishes), [there](https://example.org)'
finds '<img src="picture.svg">' 'the link picture.svg leads nowhere'
finds '`src/graph/wishes.c`' 'there is no src/graph/wishes.c'
finds '`graph/wishes`' 'there is no graph/wishes'
finds '`wishes.h`' 'there is no wishes.h'
finds '`bench/results/speed/wishes_*.csv`' 'there is no bench/results/speed/wishes_*.csv'
finds '`src/graph/{meek,wishes}.c`' 'there is no src/graph/wishes.c'
passes '`graph/meek.c:meek_close`, `src/graph/{meek,graph}.c`, `meek.c`, `bench/peers/NAME/`'
finds '`graph/meek.c:meek_wishes`' 'graph/meek.c does not define meek_wishes'
finds '| step | `graph/meek.c:meek_close`, `decode` |' 'none of src/graph/meek.c defines decode'
finds '`scone_graph_wishes`' 'scone_graph_wishes stands in no source'
passes '`scone_graph_read()`'
finds "$(printf '%0121d' 0)" '121 characters'
passes "| $(printf '%0200d' 0) |"
finds 'A wish (D18).' 'the id of a decision'
passes '```'
passes "$(printf '%0200d' 0)"
passes '[what](a program) prints `src/graph/wishes.c`'
passes '```'
passes '```sh'
passes 'scone discover `src/graph/wishes.c`'
finds "$(printf '%0121d' 0)" '121 characters'
passes '```'
finds "$(printf '%0121d' 0)" '121 characters'

python3 tests/house/test_pages.py >"$box/found"
grep -F -e "$page:" "$box/found" | diff "$box/wanted" - || exit 1
echo "$(wc -l <"$box/wanted") faults planted, all found"
