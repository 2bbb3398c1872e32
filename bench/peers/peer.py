#!/usr/bin/env python3
"""Runs a peer of this folder in a virtual environment of its own (see README.md).

Usage: peer.py NAME PROBLEM OUT [--time-limit SECONDS]
       peer.py --list
       peer.py --install NAME...
Environments stand in out/peers/environments and are made when they are first asked for. Two peers with the same
requirements.txt share one. Exit codes: that of run.py; 124 at the time limit; 2 if there is no such peer or its
environment cannot be made.
"""
import argparse
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENTS = os.path.join(HERE, "..", "..", "out", "peers", "environments")
TIMED_OUT, NOT_THERE = 124, 2
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
              "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS", "LOKY_MAX_CPU_COUNT")


def fail(message):
    print(f"peer.py: {message}", file=sys.stderr)
    sys.exit(NOT_THERE)


def path_of(name, file):
    return os.path.join(HERE, name, file)


def all_names():
    return sorted(name for name in os.listdir(HERE) if os.path.exists(path_of(name, "README.md")))


def can_run(name):
    return os.path.exists(path_of(name, "run.py"))


def check(name):
    if name not in all_names():
        fail(f"there is no peer {name}; the peers are {', '.join(all_names())}")
    if not can_run(name):
        fail(f"{name} cannot be run; bench/peers/{name}/README.md says why")


def told(name):
    """What the line "Told: ..." of the peer's page says."""
    with open(path_of(name, "README.md"), encoding="utf-8") as file:
        found = re.search(r"^Told: (.*?)\.?$", file.read(), re.MULTILINE)
    return found.group(1) if found else "its page does not say"


def requirements(name):
    with open(path_of(name, "requirements.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return sorted(line for line in lines if line and not line.startswith("#"))


def environment_of(name):
    """Another Python or other requirements are another environment."""
    digest = hashlib.sha256("\n".join([sys.version, *requirements(name)]).encode()).hexdigest()
    return os.path.normpath(os.path.join(ENVIRONMENTS, digest[:16]))


def is_ready(name):
    return not requirements(name) or os.path.exists(os.path.join(environment_of(name), "ready"))


def install(name):
    """Makes the environment unless it is there; of two that want it, one waits. Returns its python."""
    folder = environment_of(name)
    python = os.path.join(folder, "bin", "python") if requirements(name) else sys.executable
    if is_ready(name):
        return python
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # ends with this process, however it ends
        if is_ready(name):
            return python
        shutil.rmtree(folder, ignore_errors=True)
        print(f"peer.py: making the environment of {name}", file=sys.stderr, flush=True)
        for command in ([sys.executable, "-m", "venv", folder],
                        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                         path_of(name, "requirements.txt")]):
            made = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, close_fds=True)
            if made.returncode != 0:
                shutil.rmtree(folder, ignore_errors=True)
                fail(f"the environment of {name} cannot be made: {' '.join(command[:4])} ended with "
                     f"{made.returncode}")
        with open(os.path.join(folder, "ready"), "w", encoding="utf-8") as file:
            file.write(f"{name}\n")
    return python


def environment_variables():
    variables = dict(os.environ, PYTHONNOUSERSITE="1", PYTHONHASHSEED="0", MPLBACKEND="Agg", TQDM_DISABLE="1",
                     XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
                     CUDA_VISIBLE_DEVICES="", JAX_PLATFORMS="cpu")
    variables.update((name, "1") for name in ONE_THREAD)
    variables.pop("PYTHONHOME", None)
    return variables


def run(name, problem, out, limit):
    python = install(name)
    os.makedirs(out, exist_ok=True)
    # A group of its own can be ended with all that it started. Without a limit the group is left as it is, so that
    # whoever runs this can end it.
    child = subprocess.Popen([python, path_of(name, "run.py"), problem, out], env=environment_variables(),
                             stdin=subprocess.DEVNULL, start_new_session=limit is not None)

    def end_all(number, _frame):
        os.killpg(child.pid, signal.SIGKILL)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    if limit is not None:
        signal.signal(signal.SIGTERM, end_all)
        signal.signal(signal.SIGINT, end_all)
    try:
        code = child.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        print(f"peer.py: {name} took more than {limit:g} seconds", file=sys.stderr)
        return TIMED_OUT
    if code < 0:
        print(f"peer.py: {name} was ended by signal {-code}", file=sys.stderr)
        return 128 - code
    return code


def main():
    parser = argparse.ArgumentParser(description="runs a peer in a virtual environment of its own")
    parser.add_argument("--list", action="store_true", help="name, state and what it is told, one peer a line")
    parser.add_argument("--install", action="store_true", help="make the environments of the peers named")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS")
    parser.add_argument("words", nargs="*", metavar="NAME PROBLEM OUT")
    options = parser.parse_args()
    if options.list:
        for name in all_names():
            state = ("ready" if is_ready(name) else "not installed") if can_run(name) else "cannot run"
            print(f"{name}\t{state}\t{told(name)}")
        return 0
    if options.install:
        for name in options.words:
            check(name)
            install(name)
        return 0
    if len(options.words) != 3:
        parser.error("give NAME PROBLEM OUT, --list, or --install NAME...")
    check(options.words[0])
    return run(*options.words, options.time_limit)


if __name__ == "__main__":
    sys.exit(main())
