# weights.sh - weight files for tests, made with printf alone: the program has no part in them but
# for the configuration, which it prints. Source it when $scone is the program.
#
#   make_weights FILE [SED]   a small weights file of the preset paper; SED edits the header before
#                             its checksum is taken

# xxh64 FILE: XXH64 of its bytes with seed 0, as 16 hex digits, for sizes that are multiples of 32.
# The algorithm's arithmetic is that of the shell: 64 bits that wrap.
xxh64() {
    local p1=$((0x9E3779B185EBCA87)) p2=$((0xC2B2AE3D27D4EB4F)) p3=$((0x165667B19E3779F9))
    local p4=$((0x85EBCA77C2B2AE63)) at=0 lane x hash
    local -a words lanes
    mapfile -t words < <(od -An -v -w8 -t d8 "$1")
    lanes=($((p1 + p2)) $p2 0 $((-p1)))
    while ((at < ${#words[@]})); do
        for lane in 0 1 2 3; do
            x=$((lanes[lane] + words[at++] * p2))
            lanes[lane]=$(((x << 31 | (x >> 33 & 0x7fffffff)) * p1))
        done
    done
    hash=$(((lanes[0] << 1 | (lanes[0] >> 63 & 0x1)) + (lanes[1] << 7 | (lanes[1] >> 57 & 0x7f)) +
        (lanes[2] << 12 | (lanes[2] >> 52 & 0xfff)) + (lanes[3] << 18 | (lanes[3] >> 46 & 0x3ffff))))
    for lane in 0 1 2 3; do
        x=$((lanes[lane] * p2))
        hash=$(((hash ^ (x << 31 | (x >> 33 & 0x7fffffff)) * p1) * p1 + p4))
    done
    hash=$((hash + 8 * ${#words[@]}))
    hash=$(((hash ^ (hash >> 33 & 0x7fffffff)) * p2))
    hash=$(((hash ^ (hash >> 29 & 0x7ffffffff)) * p3))
    printf '%016x' $((hash ^ (hash >> 32 & 0xffffffff)))
}

# The values: 1, -1, 0.5, 0, then 0; and twice 1, 2, 3, 4.
weights_values_a() {
    printf '\0\0\200\077\0\0\200\277\0\0\0\077\0\0\0\0'
    printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
}
weights_values_b() {
    local half='\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100'
    printf "$half$half"
}

make_weights() {
    local file=$1 edit=${2:-} config header length padded hash
    config=$("$scone" model --preset paper --json --quiet | sed -n 's/^.*"config":[^{]*\({.*}\).*$/\1/p')
    weights_values_a >"$file.tmp_a"
    weights_values_b >"$file.tmp_b"
    header='{"__metadata__":{"format":"scone-weights","version":"1","header_xxh64":"0000000000000000",'
    header+='"command":"scone train --preset paper -o paper","commit":"0a1b2c3","config":"'
    header+=${config//\"/\\\"}'","data_xxh64":"00112233445566ff","preset":"paper",'
    header+='"validation":"{\"shd\":12.5,\"f1\":0.625}",'
    header+="\"xxh64.a.bias\":\"$(xxh64 "$file.tmp_a")\",\"xxh64.b.kernel\":\"$(xxh64 "$file.tmp_b")\"},"
    header+='"a.bias":{"dtype":"F32","shape":[8],"data_offsets":[0,32]},'
    header+='"b.kernel":{"dtype":"F32","shape":[2,4],"data_offsets":[32,64]}}'
    [ -z "$edit" ] || header=$(printf '%s' "$header" | sed "$edit")
    length=${#header}
    padded=$(((8 + length + 63) / 64 * 64))
    header=$(printf '%-*s.' $((padded - 8)) "$header")
    header=${header%.}
    length=$((padded - 8))
    weights_frame() { printf "$(printf '\\%03o' $((length & 255)) $((length >> 8 & 255)) $((length >> 16)))\0\0\0\0\0%s" "$header"; }
    weights_frame >"$file"
    hash=$(xxh64 "$file")
    header=${header/'"header_xxh64":"0000000000000000"'/"\"header_xxh64\":\"$hash\""}
    { weights_frame; cat "$file.tmp_a" "$file.tmp_b"; } >"$file"
    rm "$file.tmp_a" "$file.tmp_b"
}
