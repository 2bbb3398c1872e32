#!/usr/bin/env bash
# Help, version, examples that work when pasted, and the manual page's agreement with the program.
. "$(dirname "$0")/lib.sh"

run
code_is 2
out_empty
cp "$box/err" "$box/overview"
yes "the overview fits one screen" test "$(wc -l <"$box/overview")" -le 24
for arguments in help --help -h; do
    run $arguments
    code_is 0
    err_empty
    out_is <"$box/overview"
done

run --version
code_is 0
err_empty
out_is <<E
scone $version
E
is "the version is that of the build" "$version" \
    "$(sed -nE 's/^project\(scone VERSION ([0-9.]+) .*/\1/p' "$source_dir/CMakeLists.txt")"

run help help
code_is 0
out_is <<'E'
Usage: scone help [COMMAND]

Prints the overview of all commands, or the help of one of them.

Options:
  -h, --help              this help

Examples:
  scone help simulate
E

# Every command in every way of asking; nothing else on the line matters then.
commands=$(sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' "$box/overview")
is "commands" "$(echo $commands)" "discover explain check simulate eval bench train model verify help"
for command in $commands; do
    run "$command" --help
    code_is 0
    err_empty
    cp "$box/out" "$box/help_$command"
    out_has "Usage: scone $command"
    is "$command --help fits 84 columns" "$(awk 'length > 84' "$box/out")" ""
    for arguments in "help $command" "$command -h" "$command nonsense --unknown --help"; do
        run $arguments
        code_is 0
        out_is <"$box/help_$command"
    done
done

# The examples, as they stand, in a folder of their own.
mkdir "$box/bin" && ln -s "$scone" "$box/bin/scone"
for command in $commands; do
    mkdir "$command" && cd "$command" || exit 1
    sed -n '/^Examples:/,$s/^  //p' "$box/help_$command" >examples
    yes "$command has examples" test -s examples
    while read -r line; do
        last=$line
        PATH="$box/bin:$PATH" bash -c "$line" >"$box/out" 2>"$box/err" </dev/null
        code=$?
        code_is 0
    done <examples
    cd ..
done
# The first steps of the overview.
mkdir first && cd first || exit 1
sed -nE '/^First steps:/,/^$/s/^  (scone .*[^ ])   +.*/\1/p' "$box/overview" >steps
is "first steps" "$(wc -l <steps)" 3
while read -r line; do
    last=$line
    PATH="$box/bin:$PATH" bash -c "$line" >"$box/out" 2>"$box/err" </dev/null
    code=$?
    code_is 0
done <steps
cd ..

# The manual knows every command and option, and mandoc has nothing to say about it.
manual=$source_dir/docs/man/scone.1
for command in $commands; do
    last="manual, $command"
    yes "the manual has $command" grep -q "^.Cm $command" "$manual"
    for name in $(grep -oE '^  .{0,4}--[a-z-]+' "$box/help_$command" | sed 's/.*--//'); do
        yes "the manual has --$name" grep -q "Fl Fl $name" "$manual"
    done
done
if command -v mandoc >/dev/null; then
    is "mandoc -Tlint" "$(mandoc -Tlint -W warning "$manual" 2>&1)" ""
fi
finish
