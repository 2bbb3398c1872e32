#!/usr/bin/env bash
# The peers that are written here, CAM and DCDI-DSF: their own tests, in an environment of the peers that has what they
# need. Without one there is nothing to test.
# Usage: test_peers_written.sh SCONE ROOT
set -eu
root=$2
tested=0

# test_with PACKAGE FILE: in the first Python that can import the package
test_with() {
    local python
    for python in "$root"/out/peers/environments/*/bin/python python3; do
        if "$python" -c "import $1" 2>/dev/null; then
            OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 "$python" "$root/bench/peers/$2"
            tested=1
            return
        fi
    done
}

test_with scipy cam/test_additive.py
test_with torch dcdi-dsf/test_density.py
[ $tested = 1 ] || exit 77
