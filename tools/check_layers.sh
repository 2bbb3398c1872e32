#!/usr/bin/env bash
# Checks that a module includes only itself and modules above it in the list of
# docs/architecture.md, and that cli/ includes scone.h alone.
set -u
root=${1:-.}
layers="base linalg graph data scm score subset learn rules token nn model train infer eval report"
bad=0
above=""
for module in $layers; do
    above="$above $module"
    [ -d "$root/src/$module" ] || continue
    while IFS=: read -r file line text; do
        used=$(printf '%s' "$text" | sed -nE 's/.*#[[:space:]]*include[[:space:]]+"([a-z]+)\/.*/\1/p')
        [ -n "$used" ] || continue
        case " $above " in
        *" $used "*) ;;
        *) echo "${file#"$root"/}:$line: src/$module includes $used, which is not above it"; bad=1 ;;
        esac
    done < <(grep -nE '#[[:space:]]*include[[:space:]]+"' -r "$root/src/$module")
done
for folder in "$root"/src/*/; do
    name=$(basename "$folder")
    case " $layers " in *" $name "*) ;; *) echo "src/$name is not in the list of modules"; bad=1 ;; esac
done
while IFS=: read -r file line text; do
    used=$(printf '%s' "$text" | sed -nE 's/.*include[[:space:]]+"([^"]+)".*/\1/p')
    case "$used" in
    scone.h) ;;
    */*) echo "${file#"$root"/}:$line: cli includes $used; only scone.h and files of cli/ are allowed"; bad=1 ;;
    esac
done < <(grep -nE '#[[:space:]]*include[[:space:]]+"' -r "$root/cli" 2>/dev/null)
[ $bad = 0 ] && echo "layers: every include points upwards"
exit $bad
