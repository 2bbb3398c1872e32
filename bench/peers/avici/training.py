"""Trains AVICI's model on the training distribution of SCONE, with the package's own network, loss and updates.

The weights that the authors publish cannot be had here, so these stand for the method, not for its authors' model. The
budget is fixed and small (see README.md): graphs of three sizes from `scone simulate train-ood`, whose numbers no test
problem has, each with ROWS rows of either table in a step.
"""
import csv
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time

import jax
import numpy as np
import optax
from avici.backbone import Updater
from avici.model import BaseModel, InferenceModel

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
KEPT = os.path.join(ROOT, "out", "peers", "avici", "weights.pickle")
SIZES = {10: 2000, 20: 2000, 30: 1000}  # variables: graphs of that size
CELLS = 80  # variables of all graphs in a step
ROWS, ROWS_SIMULATED = 50, 150  # of either table
STEPS, WARM_UP, RATE, LAST_RATE = 2000, 100, 1e-3, 1e-5
TOLD_EVERY = 50
NETWORK = {"layers": 2, "dim": 32, "key_size": 16, "num_heads": 4, "dropout": 0.0}


def make_model():
    return InferenceModel(model_class=BaseModel, model_kwargs=dict(NETWORK))


def simulate(folder, variables, graphs):
    """[graphs, rows, variables] of both tables, [graphs, variables] targets, [graphs, variables, variables] edges"""
    program = os.path.join(ROOT, "build", "scone")
    if not os.path.exists(program):
        sys.exit(f"{program} is not there, and makes the graphs to train on: build SCONE first")
    out = os.path.join(folder, str(variables))
    subprocess.run([program, "simulate", "train-ood", "--nodes", str(variables), "--edges",
                    f"{variables}..{2 * variables}", "--samples", str(ROWS_SIMULATED), "--count", str(graphs),
                    "--seed", "1", "--format", "dcdi", "--quiet", "--output", out], check=True)
    control, changed, targets, edges = [], [], np.zeros((graphs, variables), np.float32), []
    for g in range(graphs):
        control.append(np.load(f"{out}/data{g + 1}.npy").astype(np.float32))
        changed.append(np.load(f"{out}/data_interv{g + 1}.npy").astype(np.float32)[-ROWS_SIMULATED:])
        edges.append(np.load(f"{out}/DAG{g + 1}.npy").astype(np.float32))
        with open(f"{out}/intervention{g + 1}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        targets[g, [int(j) for j in rows[-1] if j]] = 1
    shutil.rmtree(out)
    return np.array(control), np.array(changed), targets, np.array(edges)


def with_mask(values, mask):
    return np.stack([values, np.broadcast_to(mask, values.shape)], axis=-1).astype(np.float32)


def draw_batch(generator, graphs):
    """What the package's loss takes: it replaces ROWS of the observational rows by the interventional ones."""
    control, changed, targets, edges = graphs
    chosen = generator.integers(0, len(edges), CELLS // edges.shape[-1])
    rows = np.stack([generator.permutation(control.shape[1]) for _ in chosen])
    take = np.take_along_axis
    observed = take(control[chosen], rows[:, :2 * ROWS, None], axis=1)
    intervened = take(changed[chosen], rows[:, -ROWS:, None], axis=1)
    return {"x_obs": with_mask(observed, 0.0), "x_int": with_mask(intervened, targets[chosen][:, None, :]),
            "g": edges[chosen], "is_count_data": np.zeros(len(chosen), bool)}


def train():
    """Returns the averaged weights, and keeps them."""
    print("avici: there are no weights, so they are trained first; this happens once", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        graphs = {variables: simulate(folder, variables, count) for variables, count in SIZES.items()}
    model, generator = make_model(), np.random.default_rng(1)
    rate = optax.warmup_cosine_decay_schedule(0.0, RATE, WARM_UP, STEPS, LAST_RATE)
    updater = Updater(net_init=model.net.init, loss_fn=model.loss,
                      opt=optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate)), acyclicity_dual_lr=0.0,
                      acyclicity_inner_step=1, acyclicity_burnin=1, acyclicity_warmup=False)
    first = draw_batch(generator, graphs[min(SIZES)])
    state = updater.init(jax.random.PRNGKey(0), first["x_obs"])
    losses, started = [], time.process_time()
    for step in range(STEPS):
        variables = list(SIZES)[generator.integers(len(SIZES))]
        state, told = updater.update(state, draw_batch(generator, graphs[variables]), step)
        losses.append(told["loss"])
        if (step + 1) % TOLD_EVERY == 0:
            print(f"avici: {step + 1} steps, {time.process_time() - started:.0f} s of processor time, loss "
                  f"{np.mean([float(loss) for loss in losses]):.4f}", file=sys.stderr, flush=True)
            losses = []
    keep(jax.device_get(state.ave_params))
    return state.ave_params


def keep(weights):
    os.makedirs(os.path.dirname(KEPT), exist_ok=True)
    unfinished = f"{KEPT}.{os.getpid()}"
    with open(unfinished, "wb") as file:
        pickle.dump({"network": NETWORK, "weights": weights}, file)
    os.replace(unfinished, KEPT)


def load_or_train():
    if os.path.exists(KEPT):
        with open(KEPT, "rb") as file:
            kept = pickle.load(file)
        if kept["network"] == NETWORK:
            return kept["weights"]
    return train()
