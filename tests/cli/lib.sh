# lib.sh - what the tests of the command line share. Source it as:  . "$(dirname "$0")/lib.sh"
# The script gets SCONE_BINARY SOURCE_DIR and works in an empty folder of its own.
#
#   run ARGS...      runs scone; keeps exit code, stdout and stderr (times replaced)
#   code_is N        each of these is one check of the last run
#   out_is, err_is   the whole of stdout or stderr, from standard input
#   out_has TEXT, err_has TEXT
#   out_empty, err_empty
#   is WHAT GOT WANTED, yes WHAT COMMAND...   checks of anything else
#   finish           checks that no temporary is left, prints the tally, sets the exit code
set -u
export LC_ALL=C
scone=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source_dir=$(cd "$2" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/work"
cd "$box/work" || exit 1
version=$("$scone" --version | sed 's/^scone //')
passed=0
failed=0
last=""
# The sanitizers' own allocator may refuse a size as malloc would.
export ASAN_OPTIONS="allocator_may_return_null=1:${ASAN_OPTIONS:-}"

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED after: $last"
    printf '    %s\n' "$@"
}

replace() { # the closing line, whose times differ from run to run
    sed -E "s/^scone ${version//./\\.}: [0-9.]+ s real, [0-9.]+ s CPU, [0-9.]+ MB peak memory\$/CLOSING LINE/"
}

run() {
    last="scone $*"
    "$scone" "$@" >"$box/raw_out" 2>"$box/raw_err" </dev/null
    code=$?
    cat "$box/raw_out" >"$box/out"
    replace <"$box/raw_err" >"$box/err"
}

code_is() { if [ "$code" -eq "$1" ]; then pass; else fail "exit $code, expected $1" "$(head -n 5 "$box/err")"; fi; }
same() { # WHAT FILE, expected text on standard input
    cat >"$box/expected"
    if cmp -s "$box/expected" "$2"; then pass; else fail "$1 differs:" "$(diff "$box/expected" "$2" | head -n 20)"; fi
}
out_is() { same stdout "$box/out"; }
err_is() { same stderr "$box/err"; }
out_empty() { out_is </dev/null; }
err_empty() { err_is </dev/null; }
has() { if grep -qF -e "$3" "$2"; then pass; else fail "$1 lacks '$3':" "$(head -n 20 "$2")"; fi; }
out_has() { has stdout "$box/out" "$1"; }
err_has() { has stderr "$box/err" "$1"; }
is() { if [ "$2" = "$3" ]; then pass; else fail "$1: got '$2', expected '$3'"; fi; }
yes() {
    local what=$1
    shift
    if "$@"; then pass; else fail "$what"; fi
}
# One line of error, no stdout: what a refused run looks like. refused CODE TEXT
refused() {
    code_is "$1"
    out_empty
    err_has "$2"
    is "one line of message" "$(wc -l <"$box/err")" 1
    is "starts as an error" "$(cut -c1-14 "$box/err")" "scone: error: "
}
digest() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum); }
entries() { find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' '; }

finish() {
    last="everything"
    is "temporary files left" "$(find "$box/work" -name '*tmp*' | head -n 3)" ""
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
