"""Assigns examples to steps and packs them into rows."""

import random
from dataclasses import dataclass
from itertools import pairwise

import torch

from .rendering import Example


@dataclass(frozen=True)
class Batch:
    """Examples packed into one row; attention does not cross `bounds`."""

    tokens: torch.Tensor
    positions: torch.Tensor
    bounds: torch.Tensor
    longest: int
    learned: torch.Tensor
    labels: torch.Tensor
    kept: torch.Tensor
    kept_rows: torch.Tensor

    def to(self, device: torch.device) -> "Batch":
        moved = {
            key: value.to(device, non_blocking=True) if torch.is_tensor(value) else value
            for key, value in vars(self).items()
        }
        return Batch(**moved)


def join(examples: list[Example], kept: list[tuple[Example, int]] = (), multiple: int = 1) -> Batch:
    """`kept`: general examples with the row where their cached states begin. Padding is its own segment."""
    everything = [*examples, *(example for example, _ in kept)]
    tokens: list[int] = []
    positions: list[int] = []
    bounds = [0]
    learned: list[int] = []
    labels: list[int] = []
    kept_at: list[int] = []
    kept_rows: list[int] = []
    for index, example in enumerate(everything):
        start = len(tokens)
        targets = example.targets()
        if index < len(examples):
            learned += [start + at for at in targets]
            labels += [example.tokens[at + 1] for at in targets]
        else:
            first = kept[index - len(examples)][1]
            kept_at += [start + at for at in targets]
            kept_rows += range(first, first + len(targets))
        tokens += example.tokens
        positions += range(len(example.tokens))
        bounds.append(len(tokens))
    padding = -len(tokens) % multiple
    if padding:
        tokens += [0] * padding
        positions += range(padding)
        bounds.append(len(tokens))
    return Batch(
        tokens=torch.tensor([tokens]),
        positions=torch.tensor([positions]),
        bounds=torch.tensor(bounds, dtype=torch.int32),
        longest=max(after - before for before, after in pairwise(bounds)),
        learned=torch.tensor(learned, dtype=torch.long),
        labels=torch.tensor(labels, dtype=torch.long),
        kept=torch.tensor(kept_at, dtype=torch.long),
        kept_rows=torch.tensor(kept_rows, dtype=torch.long),
    )


def fill_rows(lengths: list[int], capacity: int) -> list[list[int]]:
    """Packs lengths into rows of at most `capacity`: best fit, longest first."""
    rows: list[tuple[int, list[int]]] = []
    for index in sorted(range(len(lengths)), key=lambda at: (-lengths[at], at)):
        fitting = [at for at, (used, _) in enumerate(rows) if used + lengths[index] <= capacity]
        if fitting:
            best = max(fitting, key=lambda at: rows[at][0])
            used, members = rows[best]
            rows[best] = (used + lengths[index], [*members, index])
        else:
            rows.append((lengths[index], [index]))
    return [members for _, members in rows]


@dataclass(frozen=True)
class Step:
    """One update of the weights; each row is a forward pass. −i − 1 stands for general example i."""

    epoch: float
    rows: list[list[int]]


def plan_steps(
    lengths: list[int], epochs: float, batch_size: int, capacity: int, seed: int, kept: list[int], kept_per_step: int
) -> list[Step]:
    """Plans the whole run from the seed, so that a resumed run sees the same steps as an uninterrupted one."""
    shuffle = random.Random(seed)
    per_epoch = max(1, -(-len(lengths) // batch_size))
    total = max(1, round(per_epoch * epochs))
    steps: list[Step] = []
    order: list[int] = []
    general: list[int] = []
    while len(steps) < total:
        if len(steps) % per_epoch == 0:
            order = list(range(len(lengths)))
            shuffle.shuffle(order)
        at = len(steps) % per_epoch
        # Equal shares: a last step with few conversations would have a noisy gradient.
        chosen = order[at * len(order) // per_epoch : (at + 1) * len(order) // per_epoch]
        while kept and len(general) < kept_per_step:
            general += shuffle.sample(range(len(kept)), len(kept))
        general_now, general = general[:kept_per_step], general[kept_per_step:]
        members = [*chosen, *(-index - 1 for index in general_now)]
        sizes = [lengths[each] if each >= 0 else kept[-each - 1] for each in members]
        rows = [[members[index] for index in row] for row in fill_rows(sizes, capacity)]
        steps.append(Step((len(steps) + 1) / per_epoch, rows))
    return steps
