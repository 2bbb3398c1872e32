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
is "the version is that of the header" "$version" \
    "$(sed -nE 's/^#define SCONE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' "$source_dir/include/scone.h" | paste -sd .)"

run help help
code_is 0
out_is <<'E'
Usage: scone help [COMMAND]
       scone help --completion SHELL
       scone help --man

Prints the overview of all commands, or the help of one of them; or what a shell
needs to complete commands, options and their values. make install puts that where
the shells look for it; without, a line such as source <(scone help --completion
bash) in ~/.bashrc does.

Options:
      --completion SHELL  the completions for bash, zsh or fish
      --man               the parts of the manual page that follow from the options
  -h, --help              this help

Examples:
  scone help simulate
  scone help --completion bash >scone.bash
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

# The manual page is the one that the commands give now, it renders, and nothing in it is lost.
manual=$source_dir/docs/man/scone.1
last="tools/man_page.sh"
is "the page is that of the program (tools/man_page.sh SCONE makes it)" \
    "$("$source_dir/tools/man_page.sh" "$scone" 2>&1 | diff - "$manual")" ""
for command in $commands; do
    last="manual, $command"
    sed -n "/^\.Ss scone $command\$/,/^\.El/p" "$manual" >section
    for name in $(grep -oE '^  .{0,4}--[a-z-]+' "$box/help_$command" | sed 's/.*--//'); do
        yes "the manual has --$name" grep -q "Fl Fl $name\>" section
    done
done
is "the default preset" "$(grep -A1 'Fl Fl preset Ar NAME' "$manual" | sed -n 2p)" \
    "$(sed -n 's/.*--preset NAME  *//p' "$box/help_discover")"
if command -v groff >/dev/null; then
    last="groff"
    groff -mandoc -Tutf8 -P-cbou -ww "$manual" >rendered 2>warnings
    is "warnings" "$(cat warnings)" ""
    yes "flags are flags" grep -q -e '--subset-size' rendered
fi
if command -v mandoc >/dev/null; then
    is "mandoc -Tlint" "$(mandoc -Tlint -W warning "$manual" 2>&1)" ""
fi
sed -n '1,/begin synopsis/p' "$manual" >"$box/short_page" # a part that has no place is an error
mkdir -p copy/tools copy/docs/man
cp "$source_dir/tools/man_page.sh" copy/tools && cp "$box/short_page" copy/docs/man/scone.1
last="a page that lacks a part"
copy/tools/man_page.sh "$scone" >/dev/null 2>"$box/err"
is "refused" $? 1
err_has 'no place for: .\" begin commands'
run help simulate --man
refused 2 "help: give a command, --completion or --man, not several"
run help --completion csh
refused 2 "--completion: 'csh' is not one of bash, zsh, fish"
finish
