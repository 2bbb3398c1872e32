#!/usr/bin/env python3
"""One training step of the model of docs/methods/model.md in PyTorch, checked against and timed beside ours.

Usage: torch_model.py FILE LAYOUT THREADS REPEATS [fused|written]
FILE is what bench_model_export wrote: a batch, weights, and the logits, loss terms and gradients that
the C code computed from them. LAYOUT is
  dense   tokens [B, T, K, 2, d] with masks for the cells that do not exist, T and K the most of a graph
  packed  the cells alone, gathered by index; padded only inside an attention, to its longest group
The first step starts from the file's weights; its logits, loss terms and gradients must be those of the
file, else this exits with 1. Then REPEATS steps (forward, five-term loss, backward, clipping, AdamW,
moving average) are timed and the least is printed in milliseconds: of the processor with one thread, of
the clock with more. With REPEATS 0 the first step itself is timed.

Kind to PyTorch: attention is its fused one ("written" spells it out with a soft-max), AdamW its fused
one, clipping and average work on lists. Index lists, positions and masks are made once, and the samples
of the loss are the file's, so making them is not timed. Triples and paths are lists in both layouts; what
all cells of a pair or all tokens of a node share is computed once; the last block's pooling is not done
twice. In short, everything that saves work in the C code without changing the layout is here as well.
"""
import json
import sys
import time

import numpy
import torch
import torch.nn.functional as F
from safetensors import safe_open

FORWARD, BACKWARD, NONE, CLASSES = 0, 1, 2, 3
OFF = -1e9  # score of a key that is not there
# Largest relative errors: of tensors by their largest value, of gradients by their norm.
LIMITS = {"logits": 1e-4, "global_logits": 1e-4, "loss": 1e-4, "gradient": 1e-4, "gradient_of_a_tensor": 1e-2}


# ---- the file ----

def read_file(path):
    with safe_open(path, framework="np") as file:
        notes = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}
    for name, values in arrays.items():
        arrays[name] = values.astype(numpy.int64) if values.dtype == numpy.uint64 else values
    groups = {}
    for name, values in arrays.items():
        group, _, rest = name.partition(".")
        groups.setdefault(group, {})[rest] = torch.from_numpy(values.copy())
    return groups, json.loads(notes["config"]), notes["decayed"].split()


def as_vector(values):
    return values.squeeze(0) if values.ndim == 2 and values.shape[0] == 1 else values


def heads_together(name, values, heads):
    """The file interleaves heads (element c of head k is column c * heads + k); here a head is contiguous."""
    if name.endswith(("qkv.weight", "qkv.bias")):
        shape = values.shape
        return values.reshape(3, -1, heads, *shape[1:]).transpose(1, 2).reshape(shape).contiguous()
    if name.endswith(("row.out.weight", "column.out.weight")):
        return values.reshape(values.shape[0], -1, heads).transpose(1, 2).reshape(values.shape).contiguous()
    return values


def owners(offsets):
    """The group of each entry."""
    return torch.repeat_interleave(torch.arange(len(offsets) - 1), offsets.diff())


def padded(group, count):
    """Places [count, longest] of the entries of each group, 0 where there is none; the mask; and the
    place of each entry in the padded array."""
    order = torch.argsort(group, stable=True)
    sizes = torch.bincount(group, minlength=count)
    within = torch.arange(len(group)) - (sizes.cumsum(0) - sizes)[group[order]]
    longest = int(sizes.max())
    index = torch.zeros(count, longest, dtype=torch.int64)
    mask = torch.zeros(count, longest, dtype=torch.bool)
    index[group[order], within] = order
    mask[group[order], within] = True
    place = torch.empty(len(group), dtype=torch.int64)
    place[order] = group[order] * longest + within
    return index.flatten(), mask, place


def key_mask(mask):
    """[groups, longest] to what is added to scores [groups, heads, queries, keys]"""
    return torch.where(mask, 0.0, OFF)[:, None, None, :]


# ---- two layouts of the marginal stream; both give it as slots [C, 2, d] ----

class Packed:
    """Slots are the cells."""

    def __init__(self, batch):
        self.cells = len(batch["cell_pair"])
        self.slot = torch.arange(self.cells)
        self.valid = None
        self.pair = batch["cell_pair"]
        self.pairs = len(batch["pair_place"])
        token_row = owners(batch["rows.offsets"])
        token_column = (2 * self.pair[:, None] + torch.arange(2)).flatten()
        self.groups = []
        for group, count in ((token_row, len(batch["rows.offsets"]) - 1), (token_column, 2 * self.pairs)):
            index, mask, place = padded(group, count)
            self.groups.append((index, mask.shape, key_mask(mask), place))

    def attend(self, qkv, way, attention):
        index, shape, mask, place = self.groups[way]
        rows = qkv.view(2 * self.cells, -1).index_select(0, index)
        y = attention(rows.view(*shape, -1), mask)
        return y.reshape(len(index), -1).index_select(0, place).view(self.cells, 2, -1)

    def spread_pairs(self, x):
        """[pairs, d] to slots [C, 1, d]"""
        return x.index_select(0, self.pair)[:, None]

    def pool(self, h, scores):
        """[pairs, d]: mean over channels of the sum over cells of soft-max(scores) h"""
        expand = self.pair[:, None].expand(-1, 2)
        most = torch.full((self.pairs, 2), -torch.inf).scatter_reduce(0, expand, scores.detach(), "amax")
        weight = (scores - most.index_select(0, self.pair)).exp()
        total = torch.zeros(self.pairs, 2).index_add(0, self.pair, weight)
        weight = weight / total.index_select(0, self.pair)
        mixed = (weight[:, :, None] * h).sum(1) / 2
        return torch.zeros(self.pairs, h.shape[2]).index_add(0, self.pair, mixed)


class Dense:
    """Slots are all of [B, T, K]."""

    def __init__(self, batch):
        first_pair, first_cell = batch["graph_pair"], batch["graph_cell"]
        graph_of_cell, graph_of_pair = owners(first_cell), owners(first_pair)
        place = batch["pair_place"]
        self.graphs = len(first_cell) - 1
        self.subsets = int(batch["cell_subset_place"].max()) + 1
        self.width = int(place.max()) + 1  # K
        B, T, K = self.graphs, self.subsets, self.width
        self.cells = B * T * K
        self.slot = ((graph_of_cell * T + batch["cell_subset_place"]) * K + place[batch["cell_pair"]])
        self.valid = torch.zeros(self.cells, dtype=torch.bool)
        self.valid[self.slot] = True
        self.pair_slot = graph_of_pair * K + place  # of [B, K]
        self.pair = torch.zeros(B * K, dtype=torch.int64)
        self.pair[self.pair_slot] = torch.arange(len(place))
        valid = self.valid.view(B, T, K)
        self.masks = (key_mask(valid.reshape(B * T, K).repeat_interleave(2, 1)),
                      key_mask(valid.permute(0, 2, 1).reshape(B * K, T).repeat_interleave(2, 0)))
        self.missing = ~valid[..., None]

    def attend(self, qkv, way, attention):
        B, T, K = self.graphs, self.subsets, self.width
        if way == 0:
            return attention(qkv.view(B * T, 2 * K, -1), self.masks[0]).reshape(self.cells, 2, -1)
        turned = qkv.view(B, T, 2 * K, -1).transpose(1, 2).reshape(B * 2 * K, T, -1)
        y = attention(turned, self.masks[1])
        return y.reshape(B, 2 * K, T, -1).transpose(1, 2).reshape(self.cells, 2, -1)

    def spread_pairs(self, x):
        B, T, K = self.graphs, self.subsets, self.width
        x = x.index_select(0, self.pair).view(B, 1, K, 1, -1)
        return x.expand(B, T, K, 1, x.shape[-1]).reshape(self.cells, 1, -1)

    def pool(self, h, scores):
        B, T, K = self.graphs, self.subsets, self.width
        scores = scores.view(B, T, K, 2).masked_fill(self.missing, OFF)
        weight = scores.softmax(1)
        message = (weight[..., None] * h.view(B, T, K, 2, -1)).sum((1, 3)) / 2
        return message.view(B * K, -1).index_select(0, self.pair_slot)


# ---- the model ----

class Model:
    def __init__(self, groups, config, decayed, layout, written):
        if not (config["bias_heads"] and config["contrast"] and config["cvt_gate"] == "printed"):
            sys.exit("this is the model of the preset paper alone")
        self.config, self.layout, self.written = config, layout, written
        self.heads, self.width = config["heads"], config["width"]
        self.weights = {}
        for name, values in groups["weight"].items():
            self.weights[name] = heads_together(name, as_vector(values), self.heads).requires_grad_()
        self.global_column = next(name[len("block.0."):-len(".qkv.weight")] for name in self.weights
                                  if name.startswith("block.0.global.col") and name.endswith("qkv.weight"))
        self.optimizer = torch.optim.AdamW(
            [{"params": [w for name, w in self.weights.items() if name in decayed],
              "weight_decay": config["weight_decay"]},
             {"params": [w for name, w in self.weights.items() if name not in decayed], "weight_decay": 0.0}],
            lr=1e-4, betas=(config["beta1"], config["beta2"]), eps=config["epsilon"], fused=True)
        self.average = [w.detach().clone() for w in self.weights.values()]
        self.prepare(groups["batch"])
        self.prepare_loss(groups["batch"], groups["loss"])

    # ---- what does not change from step to step ----

    def prepare(self, batch):
        d, layout, config = self.width, self.layout, self.config
        cells = len(batch["cell_pair"])
        sizes = batch["graph_node"].diff()
        self.nodes = int(sizes[0])
        if not bool((sizes == self.nodes).all()):
            sys.exit("graphs of a batch must have the same number of nodes")
        self.graphs, self.members = len(sizes), len(batch["member_node"])
        place = torch.arange(max(int(batch["pair_place"].max()), int(batch["cell_subset_place"].max())) + 1)
        angle = place[:, None] / 10000.0 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
        table = torch.stack((angle.sin(), angle.cos()), 2).reshape(-1, d).float()
        positions = table[batch["cell_subset_place"]] + table[batch["pair_place"][batch["cell_pair"]]]

        def to_slots(values):
            slots = torch.zeros(layout.cells, *values.shape[1:], dtype=values.dtype)
            slots[layout.slot] = values
            return slots

        self.features = to_slots(batch["features"].view(cells, 2, -1))
        self.positions = to_slots(positions)[:, None]
        self.cell_members = to_slots(batch["cell_members"]).flatten()
        self.cell_count = cells
        pair_nodes = torch.empty(len(batch["pair_place"]), 2, dtype=torch.int64)
        pair_nodes[batch["cell_pair"]] = batch["cell_ends"]
        self.pair_identity, self.pair_grid = pair_nodes, batch["pair_grid"]
        self.node_identity = batch["node_identity"]
        self.precision = batch["precision"].view(self.graphs, self.nodes, self.nodes, 1)
        # heads
        most_index, most_mask, _ = padded(owners(batch["subset_members.offsets"]),
                                          len(batch["subset_members.offsets"]) - 1)
        self.subset_members, self.subset_mask = most_index, most_mask
        self.member_subset = owners(batch["subset_members.offsets"])
        self.statistics = batch["node_statistics"][batch["member_node"]]
        self.context_slot = layout.slot[batch["context.index"]]
        self.context_member = owners(batch["context.offsets"])
        self.context_share = 1.0 / batch["context.offsets"].diff().clamp(min=1)[:, None]
        self.triple_slots = layout.slot[batch["triple_cells"]].T.flatten()
        self.triple_centre = batch["triple_centre"]
        self.triple_sign = (2.0 * batch["triple_second"] - 1.0).T.flatten()
        step_slot = layout.slot[batch["instance_steps.index"]]
        against = 1 - batch["step_with"]
        instance = owners(batch["instance_steps.offsets"])
        self.instances = len(batch["instance_owner"])
        self.step_rows = torch.cat((against * layout.cells + step_slot, (1 - against) * layout.cells + step_slot))
        self.step_instance = torch.cat((instance, instance + self.instances))
        self.owner = layout.slot[batch["instance_owner"]]

    def prepare_loss(self, batch, loss):
        self.labels = batch["labels"]
        self.arrows = F.one_hot(self.labels, CLASSES)[:, :2].float()
        self.ranked = loss["ranked"].T.contiguous()
        self.sampled = (loss["sampled"] < CLASSES).nonzero().flatten()
        self.sampled_labels = loss["sampled"][self.sampled]

    # ---- forward ----

    def linear(self, x, name):
        return F.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, (self.width,), self.weights[name + ".norm.gain"],
                            self.weights[name + ".norm.shift"], 1e-5)

    def attention(self, qkv, mask):
        """qkv [groups, tokens, 3 d] to [groups, tokens, d]"""
        groups, tokens, _ = qkv.shape
        q, k, v = qkv.view(groups, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.written:
            scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
            y = (scores if mask is None else scores + mask).softmax(-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return y.transpose(1, 2).reshape(groups, tokens, self.width)

    def feed_forward(self, x, name):
        inner = F.gelu(self.linear(self.norm(x, name), name + ".in"), approximate="tanh")
        return x + self.linear(inner, name + ".out")

    def marginal_block(self, h, at):
        for way, name in enumerate((at + "row", at + "column")):
            qkv = self.linear(self.norm(h, name), name + ".qkv")
            h = h + self.linear(self.layout.attend(qkv, way, self.attention), name + ".out")
        return self.feed_forward(h, at + "feed")

    def global_block(self, g, at):
        B, N = self.graphs, self.nodes
        for way, name in enumerate((at + "global.row", at + self.global_column)):
            x = g if way == 0 else g.transpose(1, 2)
            qkv = self.linear(self.norm(x, name), name + ".qkv")
            y = self.linear(self.attention(qkv.reshape(B * N, N, -1), None), name + ".out").view(B, N, N, -1)
            g = g + (y if way == 0 else y.transpose(1, 2))
        return self.feed_forward(g, at + "global.feed")

    def embed(self):
        w, d, features = self.weights, self.width, self.features.shape[2]
        first = w["embed.in.weight"]
        ends = (F.linear(w["identity"][self.pair_identity[:, 0]], first[:, features:features + d])
                + F.linear(w["identity"][self.pair_identity[:, 1]], first[:, features + d:]))
        inner = F.linear(self.features, first[:, :features], w["embed.in.bias"]) + self.layout.spread_pairs(ends)
        z = self.linear(F.gelu(inner, approximate="tanh"), "embed.out") + self.positions
        h = torch.stack(((z[:, 0] + z[:, 1]) / 2, z[:, 1] - z[:, 0]), 1)
        q = w["node"].index_select(0, self.node_identity).view(self.graphs, self.nodes, d)
        g = self.precision * w["precision.weight"] + q[:, :, None] + q[:, None, :]
        return h, g

    def changes(self, change, at):
        """gamma of members, those of the two ends of each slot, and the gates"""
        config = self.config
        norms = torch.linalg.vector_norm(change, dim=1)
        if self.layout.valid is not None:
            norms = norms * self.layout.valid
        sums = torch.zeros(self.members).index_add(0, self.cell_members, norms.repeat_interleave(2))
        of_subsets = sums.index_select(0, self.subset_members).view(self.subset_mask.shape) * self.subset_mask
        gamma = sums / of_subsets.amax(1).clamp(min=1e-12).index_select(0, self.member_subset)
        ends = gamma.index_select(0, self.cell_members).view(-1, 2)
        least = config["gate_min"]
        gates = least + (1 - least) * torch.sigmoid(self.linear(ends, at + "heads.gate") / config["gate_temperature"])
        return gamma, ends, gates

    def ssi(self, z, ends, at):
        """[C]: kappa (s(i->j) - s(j->i)); z [2, C, d]"""
        w, config, d = self.weights, self.config, self.width
        of_context = z.index_select(1, self.context_slot)
        context = torch.zeros(2, self.members, d).index_add(1, self.context_member, of_context) * self.context_share
        of_members = (F.linear(context, w[at + "ssi.context.weight"])
                      + F.linear(self.statistics, w[at + "ssi.node.weight"], w[at + "ssi.bias"]))
        inner = (F.linear(z, w[at + "ssi.edge.weight"])[:, :, None]
                 + of_members.index_select(1, self.cell_members).view(2, -1, 2, d))
        active = F.gelu(inner, approximate="tanh")
        shift = F.linear(active[1] - active[0], w[at + "ssi.out.weight"])
        delta = torch.linalg.vector_norm(shift, dim=2)
        push, known = delta[:, 1] - delta[:, 0], ends.detach()
        margin, most, clip = config["ssi_margin"], config["ssi_change_max"], config["ssi_clip"]
        open_forward = (known[:, 1] >= known[:, 0] + margin) & (known[:, 0] <= most)
        open_backward = (known[:, 0] >= known[:, 1] + margin) & (known[:, 1] <= most)
        return w[at + "ssi.scale"] * (push.clamp(0, clip) * open_forward - (-push).clamp(0, clip) * open_backward)

    def cvt(self, z, change, gamma, at):
        """[C]: bias of regime 0"""
        w, config = self.weights, self.config
        evidence = z[1] @ w[at + "cvt.edge.weight"] + change @ w[at + "cvt.change.weight"]
        both = evidence.index_select(0, self.triple_slots).view(2, -1).sum(0)
        score = torch.sigmoid(both + w[at + "cvt.bias"])
        centre = gamma.index_select(0, self.triple_centre)
        factor = (1 - centre) * (centre.detach() <= config["cvt_change_max"])
        push = w[at + "cvt.scale"] * factor * score * (score.detach() >= config["cvt_score_min"])
        signed = self.triple_sign * push.repeat(2)
        return torch.zeros(len(evidence)).index_add(0, self.triple_slots, signed)

    def dpt(self, z, change, at):
        """[C, 2]: bias of both regimes"""
        w, least, slots = self.weights, self.config["dpt_score_min"], z.shape[1]
        base = (F.linear(z, w[at + "dpt.edge.weight"], w[at + "dpt.bias"])
                + F.linear(change, w[at + "dpt.change.weight"]))
        sense = w[at + "dpt.sense.weight"]
        phi = F.gelu(torch.stack((base + sense, base - sense)).transpose(1, 2), approximate="tanh")
        rows = F.linear(phi, w[at + "dpt.in.weight"]).reshape(2 * slots, -1)  # [sense, slot][regime, d / 2]
        steps = rows.index_select(0, self.step_rows)
        hidden = torch.zeros(2 * self.instances, rows.shape[1]).index_add(0, self.step_instance, steps)
        active = F.gelu(hidden.view(2, self.instances, 2, -1) + w[at + "dpt.in.bias"], approximate="tanh")
        score = torch.sigmoid(active @ w[at + "dpt.out.weight"] + w[at + "dpt.out.bias"])  # [way, instance, regime]
        best = score.detach().amax(0)
        winner = (best[:, 1] > best[:, 0] + 1e-4).long()
        won = score.gather(2, winner.expand(2, -1)[..., None])[..., 0]
        won = won * (won.detach() >= least)
        lean = w[at + "dpt.scale"] * (won[0] - won[1])
        return torch.zeros(2 * slots).index_add(0, 2 * self.owner + 1 - winner, lean).view(slots, 2)

    def bias(self, h, at):
        """h with the biases of the three heads; and the gates"""
        change = h[:, 1]
        z = torch.stack((h[:, 0] - change / 2, h[:, 0] + change / 2))
        gamma, ends, gates = self.changes(change, at)
        ssi = gates[:, 1] * self.ssi(z, ends, at)
        cvt = gates[:, 0] * self.cvt(z, change, gamma, at)
        regimes = gates[:, 2, None] * self.dpt(z, change, at) + ssi[:, None]
        first, second = regimes[:, 0] + cvt, regimes[:, 1]
        channels = torch.stack(((first + second) / 2, second - first), 1)
        project = self.weights[at + "heads.project.weight"]
        return h + channels[..., None] * (project[:, 0] - project[:, 1]), gates

    def forward(self):
        layout, d = self.layout, self.width
        h, g = self.embed()
        gates = []
        for block in range(self.config["blocks"]):
            at = f"block.{block}."
            h = self.marginal_block(h, at)
            h, of_block = self.bias(h, at)
            gates.append(of_block)
            message = layout.pool(h, h @ self.weights[at + "pool.weight"])
            g = g.reshape(-1, d).index_add(0, self.pair_grid, message).view(g.shape)
            g = self.global_block(g, at)
            of_pairs = g.reshape(-1, d).index_select(0, self.pair_grid)
            if block + 1 < self.config["blocks"]:
                h = h + layout.spread_pairs(of_pairs)
        logits = self.linear(message + of_pairs, "classes")
        raw = self.linear(g, "global.classes")
        global_logits = (raw + raw.transpose(1, 2)[..., [BACKWARD, FORWARD, NONE]]).reshape(-1, CLASSES) / 2
        return logits, global_logits, gates

    # ---- loss and step ----

    def gate_term(self, gates):
        if self.layout.valid is not None:
            gates = gates * self.layout.valid[:, None]
        return ((1 - gates.sum(0) / self.cell_count) ** 2).mean()

    def loss(self, logits, global_logits, gates):
        config, t = self.config, self.config["temperature"]
        p = (logits / t).softmax(1)
        flat = p.flatten()
        slack = config["rank_margin"] - flat.index_select(0, self.ranked[0]) + flat.index_select(0, self.ranked[1])
        terms = [F.cross_entropy(logits / t, self.labels),
                 config["loss_shd"] * ((p[:, :2] - self.arrows) ** 2).sum(1).mean(),
                 config["loss_rank"] * slack.clamp(min=0).mean(),
                 config["loss_global"] * F.cross_entropy(global_logits.index_select(0, self.sampled) / t,
                                                         self.sampled_labels),
                 config["loss_gate"] * torch.stack([self.gate_term(x) for x in gates]).mean()]
        return terms, sum(terms)

    def backward_pass(self):
        self.optimizer.zero_grad(set_to_none=True)
        logits, global_logits, gates = self.forward()
        terms, total = self.loss(logits, global_logits, gates)
        total.backward()
        return logits, global_logits, [*terms, total]

    def update(self):
        weights = list(self.weights.values())
        torch.nn.utils.clip_grad_norm_(weights, self.config["clip"], foreach=True)
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.average, weights, 1.0 - self.config["average_decay"])


# ---- check and measure ----

def check(model, found, groups):
    """Exits with 1 if logits, loss terms or gradients are not those of the file."""
    logits, global_logits, terms = found

    def error(mine, theirs):
        return float((mine.detach() - theirs).abs().max() / theirs.abs().max())

    worst = {"logits": error(logits, groups["result"]["logits"]),
             "global_logits": error(global_logits, groups["result"]["global_logits"]),
             "loss": error(torch.stack(terms), groups["loss"]["terms"]), "gradient_of_a_tensor": 0.0}
    square, total = 0.0, 0.0
    for name, theirs in groups["gradient"].items():
        theirs = heads_together(name, as_vector(theirs), model.heads).double()
        mine = model.weights[name].grad
        if mine is None:
            sys.exit(f"no gradient by {name}")
        difference, norm = float((mine - theirs).norm()), float(theirs.norm())
        square, total = square + difference ** 2, total + norm ** 2
        if difference > 0.0:
            worst["gradient_of_a_tensor"] = max(worst["gradient_of_a_tensor"], difference / max(norm, 1e-30))
    worst["gradient"] = (square / total) ** 0.5
    text = ", ".join(f"{name} {value:.1e}" for name, value in worst.items())
    print(f"# relative errors: {text}", flush=True)
    if any(not worst[name] <= limit for name, limit in LIMITS.items()):
        print(f"this is not the same model: {text}; allowed are {LIMITS}", file=sys.stderr)
        sys.exit(1)


def main():
    path, name, threads, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    written = len(sys.argv) > 5 and sys.argv[5] == "written"
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    groups, config, decayed = read_file(path)
    layout = {"dense": Dense, "packed": Packed}[name](groups["batch"])
    model = Model(groups, config, set(decayed), layout, written)
    start = clock()
    found = model.backward_pass()
    first = clock() - start
    check(model, found, groups)
    del found
    start = clock()
    model.update()
    best = first + clock() - start if repeats == 0 else float("inf")
    for _ in range(repeats):
        start = clock()
        model.backward_pass()
        model.update()
        best = min(best, clock() - start)
    print(f"# torch {torch.__version__}, {2 * layout.cells} tokens of which {2 * model.cell_count} exist; "
          f"milliseconds of the first forward and backward pass {1e3 * first:.0f}")
    print(f"{1e3 * best:.3f}")


if __name__ == "__main__":
    main()
