#!/usr/bin/env bash
# What an installation holds, and that it works from where it is.
. "$(dirname "$0")/lib.sh"

build=$(dirname "$scone")
if [ ! -f "$build/cmake_install.cmake" ] || ! command -v cmake >/dev/null; then
    echo "no build folder around the program, or no cmake"
    exit 77
fi
last="cmake --install"
DESTDIR=$box/root cmake --install "$build" --prefix /opt/scone >"$box/log" 2>&1
is "exit" $? 0
cd "$box/root/opt/scone" || exit 1
for file in bin/scone include/scone.h share/man/man1/scone.1 share/scone/models/best.safetensors \
    share/bash-completion/completions/scone share/zsh/site-functions/_scone \
    share/fish/vendor_completions.d/scone.fish share/doc/scone/README.md share/doc/scone/CHANGELOG.md \
    share/doc/scone/LICENSE; do
    yes "there is $file" test -s "$file"
done
for page in $(cd "$source_dir/docs" && find . -name '*.md'); do
    yes "the page $page" cmp -s "$source_dir/docs/$page" "share/doc/scone/$page"
done
yes "the manual page is in its own place alone" test ! -e share/doc/scone/man
yes "a library and its pkg-config file" bash -c 'ls lib*/libscone.so* lib*/pkgconfig/scone.pc lib*/*/libscone.so* \
    lib*/*/pkgconfig/scone.pc 2>/dev/null | grep -c scone.pc | grep -qx 1'
is "bash gets what the program says" "$(bin/scone help --completion bash | cmp - share/bash-completion/completions/scone)" ""
is "zsh, too" "$(bin/scone help --completion zsh | cmp - share/zsh/site-functions/_scone)" ""
is "and fish" "$(bin/scone help --completion fish | cmp - share/fish/vendor_completions.d/scone.fish)" ""
is "zsh finds the function by its first line" "$(head -n 1 share/zsh/site-functions/_scone)" "#compdef scone"
last="the installed program"
yes "it finds its weights" bash -c 'bin/scone simulate --nodes 4 --edges 4 --samples 200 -o "$0/sim" -q >/dev/null &&
    bin/scone discover "$0/sim/g0" --preset best -o "$0/out" -q >/dev/null' "$box/work"
cd "$box/work" || exit 1
finish
