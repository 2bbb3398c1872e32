#!/usr/bin/env python3
"""Does the shared library find weights beside itself, whatever program has loaded it?

    tests/examples/shared_models.py LIBSCONE
"""
import ctypes
import os
import shutil
import sys
import tempfile

with tempfile.TemporaryDirectory() as root:
    library = os.path.join(root, "lib", "libscone.so")
    models = os.path.join(root, "share", "scone", "models")
    os.mkdir(os.path.dirname(library))
    os.makedirs(models)
    shutil.copy(os.path.realpath(sys.argv[1]), library)
    wanted = os.path.join(os.path.realpath(models), "best.safetensors")
    open(wanted, "w").close()
    scone = ctypes.CDLL(library)
    path = ctypes.c_char_p()
    status = scone.scone_model_find(ctypes.byref(path), b"best", None)
    if status != 0 or os.fsdecode(path.value) != wanted:
        sys.exit(f"status {status}, {path.value} instead of {wanted}")
