#!/usr/bin/env bash
# Checks that a module includes only itself and modules above it in the list of
# ARCHITECTURE.md, and that cli/ includes scone.h alone.
set -u
root=${1:-.}
layers="base linalg graph data scm score subset learn rules token nn model train infer eval report"
cd "$root" || exit 1
grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' -r src cli --include='*.[ch]' |
    awk -F: -v layers="$layers" '
    BEGIN {count = split(layers, order, " "); for (i = 1; i <= count; i++) rank[order[i]] = i}
    {
        match($0, /"[^"]+"/); header = substr($0, RSTART + 1, RLENGTH - 2)
        split($1, path, "/"); split(header, used, "/")
        if (path[1] == "cli") {
            if (header ~ /\//) {print $1 ":" $2 ": cli includes " header "; only scone.h and files of cli/ are allowed"; bad = 1}
        } else if (!(path[2] in rank)) {
            print $1 ": src/" path[2] " is not in the list of modules"; bad = 1
        } else if (header ~ /\// && (!(used[1] in rank) || rank[used[1]] > rank[path[2]])) {
            print $1 ":" $2 ": src/" path[2] " includes " header ", which is not above it"; bad = 1
        }
        checked++
    }
    END {if (!bad) print "layers: " checked " includes, every one points upwards"; exit bad || !checked}'
