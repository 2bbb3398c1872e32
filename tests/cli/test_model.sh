#!/usr/bin/env bash
# scone model: a weights file in words and as JSON, presets, and files that are refused.
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cli/weights.sh"

make_weights small.safetensors

# ---- words ----
run model small.safetensors
code_is 0
err_is <<'E'
CLOSING LINE
E
size=$(stat -c %s small.safetensors)
sed '/^Configuration/,/^$/d' "$box/out" >"$box/rest"
same "text but for the configuration" "$box/rest" <<E
small.safetensors: weights of the preset paper
16 parameters in 2 tensors, $size bytes; every checksum holds

Trained
  command     scone train --preset paper -o paper
  commit      0a1b2c3
  data        XXH64 00112233445566ff
  validation  shd 12.5, f1 0.625

Tensors
  name      shape    mean      sd  smallest  largest
  a.bias        8  0.0625  0.5266        -1        1
  b.kernel  2 x 4     2.5   1.118         1        4
E
sed -n '/^Configuration/,/^$/p' "$box/out" | sed '/^$/d' >"$box/config"
has "configuration" "$box/config" "  width                     64  numbers in a token (d)"
has "configuration" "$box/config" "  learning_rate          0.001  largest learning rate"

# ---- JSON ----
run model small.safetensors --json -q
code_is 0
err_empty
out_has '"parameters":	16'
out_has '"data_xxh64":	"00112233445566ff"'
out_has '"cvt_gate":"printed"'
if command -v python3 >/dev/null; then
    yes "JSON" python3 -c '
import json, sys
m = json.load(open(sys.argv[1]))
assert m["preset"] == "paper" and m["config"]["width"] == 64 and m["config"]["contrast"] is True
assert m["validation"] == {"shd": 12.5, "f1": 0.625} and m["bytes"] == int(sys.argv[2])
assert [t["name"] for t in m["tensors"]] == ["a.bias", "b.kernel"]
assert m["tensors"][1]["shape"] == [2, 4] and m["tensors"][1]["mean"] == 2.5
' "$box/out" "$size"
fi

# ---- presets ----
run model --preset paper
code_is 0
sed '1,2d' "$box/out" >"$box/other"
same "the configuration of the preset, against that of its file" "$box/other" <"$box/config"
out_has "Preset paper, without weights"
run model -p paper-nb --json -q
code_is 0
out_has '"bias_heads":false,"head_ssi":true,"head_cvt":true,"head_dpt":true,"contrast":true'
run model -p paper-nc --json -q
code_is 0
out_has '"contrast_per_node":0,'
out_has '"bias_heads":true,"head_ssi":true,"head_cvt":true,"head_dpt":true,"contrast":false'
run model -p search
refused 1 "there is no model preset 'search'; use paper, paper-nb, paper-nc, best, best-ood"

# ---- refused ----
run model none.safetensors
refused 3 "none.safetensors: cannot open: No such file or directory; check the name and the permissions"
run model .
refused 3 ".: is a folder, not a file; name a file inside it"
: >bad
run model bad
refused 1 "bad: truncated: the file is empty; copy or download the file again"
printf 'a,b\n1,2\n3,4\n5,6\n' >bad
run model bad
refused 1 "bad: not a weights file: its header would have"
gzip -c small.safetensors >bad
run model bad
refused 1 "bad: not a weights file"
cat small.safetensors small.safetensors >bad
run model bad
refused 1 "bad: trailing bytes: $size after the last tensor; copy or download the file again"
head -c $((size - 1)) small.safetensors >bad
run model bad
refused 1 "bad: tensor 'b.kernel': truncated: it ends at byte 64 of the values, of which 63 are there"
for ((cut = 1; cut < size; cut += size / 40)); do
    head -c $cut small.safetensors >bad
    run model bad -q
    refused 1 "truncated: "
done

# put FILE PLACE TEXT: other bytes in the middle of a file
put() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
cp small.safetensors bad
put bad $((size - 40)) '\001'
run model bad
refused 1 "bad: tensor 'a.bias': checksum "
cp small.safetensors bad
put bad "$(grep -aob 0a1b2c3 small.safetensors | cut -d: -f1)" 9
run model bad
refused 1 "bad: checksum of the header: "

# headers that lie, with the checksum to fit
lies() { # SED MESSAGE
    make_weights bad "$1"
    run model bad
    refused 1 "bad: $2"
}
lies 's/"version":"1"/"version":"2"/' 'version "2" of the format, and this program knows 1'
lies 's/scone-weights/scone-checkpoint/' 'its format is "scone-checkpoint", and "scone-weights" is needed here'
lies 's/"preset":"paper",//' 'metadata: "preset" is missing; give a file that scone train wrote'
lies 's/\[0,32\]/[0,36]/' "tensor 'a.bias': its shape [8] takes 32 bytes, its offsets give it 36"
lies 's/\[32,64\]/[0,32]/' "tensor 'b.kernel': it overlaps"
lies 's/"b.kernel":{"dtype":"F32"/"b.kernel":{"dtype":"F16"/' "tensor 'b.kernel': its dtype is \"F16\"; only F32 and U64 are read"
lies 's/\[2,4\]/[4294967296,4294967296]/' "tensor 'b.kernel': its shape has more values than any computer holds"
lies 's/"b.kernel":/"a.bias":/' "tensor 'a.bias' occurs twice"
lies 's/width\\":64/width\\":63/' 'configuration of the model: width is 63; use an even number'
lies 's/blocks\\"/depth\\"/' 'configuration of the model: unknown field "depth"'
lies 's/\\"blocks\\":4,//' 'configuration of the model: the field "blocks" is missing; it was written by another version of scone'
lies 's/12\.5/\\"low\\"/' 'metadata: "validation": the score "shd" is not a finite number'
lies 's/0a1b2c3/\\u001b[31m/' 'metadata: the value of "commit" is not a text without control characters'
finish
