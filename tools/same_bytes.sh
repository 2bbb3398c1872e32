#!/usr/bin/env bash
# Do two builds of the program give the same bytes? Runs fixed commands (every command, every preset,
# both forms of output, one and two threads) in an empty folder and prints a hash of everything that
# each of them prints and writes. Times, memory, the commit and what is hashed from it are left out.
#
#   tools/same_bytes.sh SCONE [MODELS] >LIST              the hashes of one build
#   tools/same_bytes.sh SCONE [MODELS] --against LIST     exit 1, and which outputs differ, if any does
#
# KEEP=FOLDER keeps the outputs, so that two lists that differ can be followed up with diff -r.
set -eu -o pipefail
scone=$(realpath "$1")
shift
models=$(realpath "$(dirname "$0")/../models")
against=""
while [ $# -gt 0 ]; do
    case "$1" in
    --against) against=$(realpath "$2"); shift 2 ;;
    *) models=$(realpath "$1"); shift ;;
    esac
done
tools=$(cd "$(dirname "$0")" && pwd)
box=${KEEP:-$(mktemp -d)}
mkdir -p "$box"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$box"' EXIT
cd "$box"
[ -z "$(ls -A)" ] || { echo "same_bytes: $box is not empty" >&2; exit 2; }
ln -s "$models" weights # so that paths in the outputs do not depend on the clone
export LC_ALL=C OMP_NUM_THREADS=2
number=0
failed=0

# What may differ between two runs of one build, or between commits, is replaced by a fixed text.
mask() {
    sed -E \
        -e 's/^(scone [0-9.]+): [0-9.]+ s real, [0-9.]+ s CPU, [0-9.]+ MB peak memory$/\1: TIMES/' \
        -e 's/"(seconds|seconds_sd|prepare|check|learn|decode|rules|targets)":([ \t]*)[0-9][0-9.e+-]*/"\1":\2T/g' \
        -e 's/[0-9.]+ graphs\/s, .* left$/RATE/' \
        -e 's/"peak_memory_bytes":[ \t]*[0-9]+/"peak_memory_bytes": M/' \
        -e 's/"commit":[ \t]*"[^"]*"/"commit": C/g' \
        -e 's/"header_xxh64":[ \t]*"[0-9a-f]*"/"header_xxh64": H/g' \
        -e 's/^(\s*commit +).*/\1C/' \
        -e 's/("preset": "paper", .*"model": ")[0-9a-f]{16}"/\1H"/' \
        -e 's/(trained\.safetensors", "bytes": [0-9]+, "xxh64": ")[0-9a-f]+/\1X/'
}
# Files of a benchmark: the columns of seconds and commit.
mask_rows() {
    awk -F, -v OFS=, '
        NR == 1 {for (i = 1; i <= NF; i++) if ($i == "seconds" || $i == "commit") out[i] = 1}
        {if (length(out)) for (i in out) if (NR > 1) $i = "-"; print}'
}

# step CODE ARGUMENTS...: runs, and hashes standard output, standard error and exit code.
step() {
    local wanted=$1 code=0
    shift
    number=$((number + 1))
    local name
    name=$(printf 'step_%02d' "$number")
    mkdir -p "$name"
    "$scone" "$@" >"$name/raw_out" 2>"$name/raw_err" </dev/null || code=$?
    mask <"$name/raw_out" >"$name/stdout"
    [ "$1" != bench ] || sed -i -E 's/ +[0-9.]+( ± [0-9.]+)?$//' "$name/stdout" # the column of seconds
    mask <"$name/raw_err" >"$name/stderr"
    rm "$name/raw_out" "$name/raw_err"
    echo "$*" >"$name/command"
    if [ "$code" != "$wanted" ]; then
        echo "same_bytes: exit $code instead of $wanted: scone $*" >&2
        cat "$name/stderr" >&2
        failed=1
    fi
}

[ -x "$scone" ] || { echo "same_bytes: $scone is no program" >&2; exit 2; }
. "$tools/same_bytes_steps.sh"

list() {
    find . -type f ! -path './weights/*' ! -name list | sort | while read -r file; do
        case "$file" in
        */bench*.csv | */consistency.csv | */coverage.csv) hash=$(mask_rows <"$file" | sha256sum) ;;
        ./out_trained/graph.json) hash=$(mask <"$file" | sed 's/"model": "[0-9a-f]*"/"model": H/' | sha256sum) ;;
        *) hash=$(mask <"$file" | sha256sum) ;;
        esac
        printf '%s  %s\n' "${hash%% *}" "$file"
    done
}
list >list
count=$(wc -l <list)
[ "$failed" = 0 ] || exit 1
[ "$count" -gt 100 ] || { echo "same_bytes: only $count outputs" >&2; exit 1; }
if [ -z "$against" ]; then
    cat list
elif diff "$against" list >difference; then
    echo "same bytes: $count outputs of $number commands"
else
    awk '/^[<>]/ {print $3}' difference | sort -u | sed 's/^/differs: /'
    exit 1
fi
