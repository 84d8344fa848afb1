"""The training loop: steps, gradient, learning rate, checkpoints."""

import math
import time
from dataclasses import dataclass, field
from typing import Any

import torch

from . import lora
from .checkpoint import CheckpointFile
from .lines import emit
from .losses import keep_loss, label_loss
from .network import Network
from .packing import Batch, Step, fill_rows, join
from .refusal import Interrupted, Refusal
from .rendering import Example
from .signals import Signals


@dataclass
class Kept:
    """General examples, and the base's last states at their answers. Computed once, because the base never changes."""

    examples: list[Example] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    states: torch.Tensor | None = None


@dataclass
class Progress:
    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    wasted: int = 0
    curve: list[dict[str, Any]] = field(default_factory=list)


class Optimisation:
    def __init__(
        self,
        network: Network,
        steps: list[Step],
        examples: list[Example],
        held_out: list[Example],
        kept: Kept,
        learning_rate: float,
        keep_weight: float,
        capacity: int,
        checkpoint: CheckpointFile,
        checkpoint_seconds: float,
        signals: Signals,
    ):
        self.network = network
        self.steps = steps
        self.examples = examples
        self.held_out = held_out
        self.kept = kept
        self.learning_rate = learning_rate
        self.keep_weight = keep_weight
        self.capacity = capacity
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.signals = signals
        self.parameters = lora.parameters(network.model)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=learning_rate, weight_decay=0.0, fused=True)
        self.progress = Progress()
        self.multiple = 64 if network.device.type == "cuda" else 1

    def resume(self) -> int | None:
        state = self.checkpoint.load()
        if state is None:
            return None
        with torch.no_grad():
            for parameter, saved in zip(self.parameters, state["parameters"], strict=True):
                parameter.copy_(saved)
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])
        self.signals.saved_step = self.progress.step
        return self.progress.step

    def save(self) -> None:
        state = {
            "parameters": [parameter.detach().cpu() for parameter in self.parameters],
            "optimizer": self.optimizer.state_dict(),
            "progress": vars(self.progress),
        }
        self.checkpoint.save(state)
        self.signals.saved_step = self.progress.step
        emit("checkpoint", step=self.progress.step)

    def run(self) -> bool:
        """Returns true if stopped early. If interrupted, saves the state after the last complete step."""
        saved_at = time.monotonic()
        try:
            while self.progress.step < len(self.steps) and not self.signals.stop_early:
                self._one_step()
                if time.monotonic() - saved_at > self.checkpoint_seconds:
                    self.save()
                    saved_at = time.monotonic()
                self.signals.check()
        except Interrupted:
            self.save()
            raise
        self.save()
        return self.progress.step < len(self.steps)

    def _one_step(self) -> None:
        started = time.monotonic()
        index = self.progress.step
        self.optimizer.zero_grad(set_to_none=True)
        with self.signals.interruptible():
            loss, kept_loss, tokens, wasted = self._gradient(self.steps[index])
        rate = self.learning_rate * schedule(index, len(self.steps))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        if not math.isfinite(loss):
            raise Refusal("diverged", f"The loss became {loss} at step {index + 1}; try a smaller learning rate.")
        self.progress.step += 1
        self.progress.tokens += tokens
        self.progress.wasted += wasted
        self.progress.seconds += time.monotonic() - started
        self._report(loss, kept_loss, rate)

    def _gradient(self, step: Step) -> tuple[float, float, int, int]:
        rows = [self._batch(row) for row in step.rows]
        learned = max(1, sum(len(row.learned) for row in rows))
        kept = max(1, sum(len(row.kept) for row in rows))
        totals = torch.zeros(2, device=self.network.device)
        for row in rows:
            batch = row.to(self.network.device)
            states = self.network.states(batch)
            loss = states.new_zeros((), dtype=torch.float32)
            if len(row.learned):
                part = label_loss(states[batch.learned], batch.labels, self.network.head) / learned
                totals[0] += part.detach()
                loss = loss + part
            if len(row.kept):
                part = keep_loss(states[batch.kept], self.kept.states[batch.kept_rows], self.network.head) / kept
                totals[1] += part.detach()
                loss = loss + self.keep_weight * part
            loss.backward()
        tokens = sum(row.tokens.numel() for row in rows)
        wasted = tokens - sum(self._length(member) for members in step.rows for member in members)
        task, general = totals.tolist()
        return task, general, tokens, wasted

    def _batch(self, members: list[int]) -> Batch:
        kept = [(self.kept.examples[-each - 1], self.kept.starts[-each - 1]) for each in members if each < 0]
        return join([self.examples[each] for each in members if each >= 0], kept, self.multiple)

    def _length(self, member: int) -> int:
        example = self.examples[member] if member >= 0 else self.kept.examples[-member - 1]
        return len(example.tokens)

    def _report(self, loss: float, kept_loss: float, rate: float) -> None:
        progress = self.progress
        total = len(self.steps)
        every = max(1, total // 8)
        evaluated = None
        if self.held_out and (progress.step % every == 0 or progress.step == total):
            with self.signals.interruptible():
                evaluated = mean_loss(self.network, self.held_out[:64], self.capacity)
        point = {
            "step": progress.step,
            "loss": loss,
            "eval_loss": evaluated,
            "retention_loss": kept_loss if self.kept.examples else None,
            "learning_rate": rate,
        }
        progress.curve.append(point)
        speed = progress.tokens / max(progress.seconds, 1e-9)
        emit(
            "progress",
            **point,
            total=total,
            epoch=self.steps[progress.step - 1].epoch,
            tokens_per_second=speed,
            remaining_seconds=progress.seconds / progress.step * (total - progress.step),
            padding=progress.wasted / max(1, progress.tokens),
        )


def schedule(index: int, total: int) -> float:
    """A short linear warm-up, then a cosine decay to a twentieth."""
    warmup = max(1, min(100, total // 10))
    if index < warmup:
        return (index + 1) / warmup
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (index - warmup) / max(1, total - warmup)))


@torch.no_grad()
def mean_loss(network: Network, examples: list[Example], capacity: int) -> float:
    total, count = 0.0, 0
    for members in fill_rows([len(each.tokens) for each in examples], capacity):
        batch = join([examples[each] for each in members]).to(network.device)
        states = network.states(batch)[batch.learned]
        total += float(label_loss(states, batch.labels, network.head))
        count += len(batch.labels)
    return total / max(1, count)


@torch.no_grad()
def keep(network: Network, examples: list[Example], capacity: int) -> Kept:
    """Runs the general examples through the base once, and stores its last states at their answers."""
    starts: list[int] = []
    filled = 0
    for example in examples:
        starts.append(filled)
        filled += example.learned
    states = torch.empty(filled, network.head.weight.shape[1], dtype=network.head.weight.dtype, device=network.device)
    with lora.base_only(network.model):
        for members in fill_rows([len(each.tokens) for each in examples], capacity):
            batch = join([], [(examples[each], starts[each]) for each in members]).to(network.device)
            states[batch.kept_rows] = network.states(batch)[batch.kept]
    return Kept(examples, starts, states)
