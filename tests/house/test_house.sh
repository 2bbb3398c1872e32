#!/usr/bin/env bash
# Does tools/check_house.py find what it looks for? Plants one fault of each kind in a copy of the tree
# and asks for its line.
set -u
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
tar -c --exclude=./build --exclude=./out --exclude=./.git --exclude=./models --exclude=./bench/results . | tar -x -C "$box"
cd "$box" || exit 1
wanted=()
finds() { # WHAT: the output will have this line
    wanted+=("$1")
}
if ! python3 tools/check_house.py >found; then
    echo "the tree has faults of its own:"
    cat found
    exit 1
fi

echo '#include "discover/result.h"' >>src/base/arena.h
finds "src/base/arena.h:$(wc -l <src/base/arena.h): base includes discover/result.h, which stands after it"
mkdir src/attic && echo '/* */' >src/attic/attic.c
finds "src/attic/attic.c: its room is not in ARCHITECTURE.md"
echo '#include "base/arena.h"' >>cli/main.c
finds "cli includes base/arena.h"
for n in $(seq 30); do echo '/* */' >"src/io/extra_$n.c"; done
finds "src/io: "
cp src/io/npy.c src/scm/npy.c
finds "the same name: "
echo 'void npy_nonsense(void);' >>src/scm/scm.h
finds "the prefix npy_ is in io, scm"
finds "src/scm/scm.h: npy_nonsense is used by no other file; make it static"
{ echo 'static void long_one(void)'; echo '{'; for n in $(seq 90); do echo ';'; done; echo '}'; } >>src/io/input.c
finds "a function of 92 lines, more than 80"
echo '/* */' >tests/unit/io/test_wishes.c
finds "tests/unit/io/test_wishes.c: no source is called wishes"

failed=0
python3 tools/check_house.py >found
for line in "${wanted[@]}"; do
    grep -qF -e "$line" found || { echo "not found: $line" && failed=$((failed + 1)); }
done
echo "${#wanted[@]} faults planted, $failed not found"
[ "$failed" = 0 ]
