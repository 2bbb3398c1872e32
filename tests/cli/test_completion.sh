#!/usr/bin/env bash
# What shells complete: the script for bash is sourced and asked, those for zsh and fish are checked by
# these shells where they are installed.
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
    run help --completion $shell
    code_is 0
    err_empty
    cp "$box/out" "scone.$shell"
done
mkdir -p folder/inner && touch folder/file.csv "folder/with space.csv"
cd folder || exit 1

. ../scone.bash
asked() { # WORD...: what bash offers for the last word, in one line
    last="completing: $*"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _scone scone "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
    answer=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' ')
}
offers() { # WANTED WORD...
    local wanted=$1
    shift
    asked "$@"
    is "offers" "$answer" "$wanted"
}
is "how bash is told" "$(complete -p scone)" "complete -F _scone scone"
offers "discover" scone disc
offers "check" scone ch
offers "--help --version" scone --
offers "--preset" scone discover --pre
offers "--threads --threshold" scone discover a.csv b.csv --thr
offers "best best-ood" scone discover --preset b
offers "best best-ood" scone discover -p b
offers "best best-ood" scone discover --preset = b
offers "best best-ood ges paper paper-nb paper-nc polybic search" scone discover --preset = # the cursor behind =
offers "" scone discover --preset file
offers "ssi,cvt" scone discover --rules ssi,c
offers "linear,nn linear,nn_add" scone simulate -m linear,n
offers "ood-100-100" scone simulate ood-1
offers "ood-50-50" scone train --setting ood-5
offers "file.csv" scone check fi
offers "inner" scone discover file.csv file.csv -o ""
offers "" scone discover --alpha ""
offers "with space.csv" scone discover with
offers "bench" scone help b
offers "bash" scone help --completion b
offers "paper-nb paper-nc" scone model --preset paper-n
offers "--json" scone model --js
cd ..

# Every option of every command is known to every shell, and every choice.
commands=$("$scone" help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p')
for command in $commands; do
    last="options of $command"
    wanted=$("$scone" "$command" --help | grep -oE '^  .{0,4}--[a-z-]+' | sed 's/.*--/--/' | sort | paste -sd' ')
    offers "$wanted" scone "$command" -
    sed -n "/^    $command)/,/;;\$/p" scone.zsh >branch
    for name in $wanted; do
        yes "zsh has $name" grep -qE "[,{']$name[]=}[]" branch
        yes "fish has $name" grep -qE "^complete -c scone -n '__fish_seen_subcommand_from $command' (-s h )?-l ${name#--} " scone.fish
    done
done
for preset in search ges polybic paper paper-nb paper-nc best best-ood; do
    yes "zsh has $preset" grep -qE ":NAME:\(.*\b$preset\b.*\)" scone.zsh
    yes "fish has $preset" grep -qE -e "from discover' -l preset -s p -x -a '.*\b$preset\b" scone.fish
done

yes "bash reads it" bash -n scone.bash
if command -v zsh >/dev/null; then yes "zsh reads it" zsh -n scone.zsh; fi
if command -v fish >/dev/null; then
    yes "fish reads it" fish --no-execute scone.fish
    HOME=$box fish --no-config -c 'source scone.fish; complete -C "scone discover --preset be"' 2>"$box/err" |
        cut -f1 | paste -sd' ' >"$box/fish"
    is "fish is asked" "$(cat "$box/fish")" "best best-ood"
fi
finish
