"""Runs a training from its configuration to the adapter's folder."""

import os
import platform
import statistics
from dataclasses import dataclass
from typing import Any

import torch

from . import __version__, lora, memory
from .artefacts import save_adapter
from .base_model import BaseInfo, describe_base, load_model, load_tokenizer
from .blocks import compile_blocks
from .checkpoint import CheckpointFile, fingerprint
from .comparison import answers, expected_of, question_of, scores
from .conversations import Conversation, general_conversations, read_conversations
from .device import choose_device, takes_half
from .gguf_base import unpack_gguf
from .lines import emit
from .network import Network, can_pack
from .optimisation import Kept, Optimisation, keep, mean_loss
from .packing import plan_steps
from .preparation import Prepared, prepare
from .refusal import Refusal
from .rendering import Example, Renderer
from .settings import Run
from .signals import Signals

GENERAL_SHARE = 0.5


@dataclass
class Measures:
    """Measurements of one model: losses and answers."""

    held_out: float | None
    general: float
    answers: list[str]


def train(run: Run, signals: Signals) -> None:
    with signals.interruptible():
        ready = _ready(run)
        work = _Work(run, ready, signals)
    work.run()


@dataclass
class _Ready:
    base: BaseInfo
    prepared: Prepared
    renderer: Renderer
    data_hash: str
    network: Network
    device: torch.device
    capacity: int
    estimate: memory.Estimate


def _ready(run: Run) -> _Ready:
    emit("stage", stage="reading", message="Reading the conversations")
    # With a thread on every core, any other load slows training sharply: 8 instead of 50 tokens per second.
    torch.set_num_threads(run.threads or max(1, (os.cpu_count() or 2) - 1))
    conversations, data_hash = read_conversations(run.data)
    base = describe_base(run.model)
    device = torch.device(choose_device(run.device))
    dtype = torch.bfloat16 if takes_half(device.type) else torch.float32
    free = min(run.memory_limit or 1 << 62, memory.available(device.type))
    smallest = memory.estimate(base, 1, 64, dtype.itemsize, True, base.gguf and device.type == "cpu")
    refuse_memory(smallest, free)
    folder = unpack_gguf(base.path, run.cache / "bases") if base.gguf else base.path
    renderer = Renderer(load_tokenizer(folder))
    prepared = prepare(conversations, renderer, base, run.hyperparameters, run.held_out)
    capacity, checkpointing, wanted = choose_capacity(base, prepared, device, dtype, free)
    emit("stage", stage="loading", message="Loading the model")
    model = load_model(folder, dtype, device)
    chosen = prepared.hyperparameters
    lora.add_lora(model, chosen.rank, chosen.alpha, chosen.seed)
    if checkpointing:
        model.enable_input_require_grads()
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.train()
    packed = can_pack(model)
    return _Ready(
        base, prepared, renderer, data_hash, Network(model, packed), device, capacity if packed else 1, wanted
    )


def refuse_memory(wanted: memory.Estimate, free: int) -> None:
    if wanted.needed > free:
        raise Refusal(
            "not_enough_memory",
            f"Training needs about {memory.gigabytes(wanted.needed)} of memory, "
            f"but only {memory.gigabytes(free)} is free.",
            **memory.summary(wanted, free),
        )


def choose_capacity(
    base: BaseInfo, prepared: Prepared, device: torch.device, dtype: torch.dtype, free: int
) -> tuple[int, bool, memory.Estimate]:
    """Returns tokens per row and whether to recompute activations: the fastest combination that fits in memory."""
    chosen = prepared.hyperparameters
    longest = max(len(each.tokens) for each in prepared.train)
    most = 16384 if device.type == "cuda" else 2048
    rows = sorted({max(longest, size) for size in (most, most // 2, most // 4, 512)}, reverse=True)
    for checkpointing in (False, True):
        for row in rows:
            wanted = memory.estimate(base, chosen.rank, row, dtype.itemsize, checkpointing, False)
            if wanted.needed <= free:
                return row, checkpointing, wanted
    refuse_memory(wanted, free)
    raise AssertionError


class _Work:
    def __init__(self, run: Run, ready: _Ready, signals: Signals):
        self.run_settings = run
        self.ready = ready
        self.signals = signals
        prepared, network = ready.prepared, ready.network
        chosen = prepared.hyperparameters
        self.mode = retention_mode(run, len(prepared.train))
        kept = self._general("keep") if self.mode == "kl" else []
        kept_per_step = max(1, round(min(chosen.batch_size, len(prepared.train)) * GENERAL_SHARE)) if kept else 0
        lengths = [len(each.tokens) for each in prepared.train]
        self.steps = plan_steps(
            lengths,
            chosen.epochs,
            chosen.batch_size,
            ready.capacity,
            chosen.seed,
            [len(each.tokens) for each in kept],
            kept_per_step,
        )
        self._compile()
        self.check = self._general("check")
        self.kept = keep(network, kept, ready.capacity) if kept else Kept()
        mark = {
            "version": __version__,
            "data": ready.data_hash,
            "model": [ready.base.architecture, ready.base.parameters, ready.base.path.name],
            "hyperparameters": chosen.asdict(),
            "retention": [self.mode, run.retention_weight],
            "held_out": run.held_out,
            "capacity": ready.capacity,
        }
        self.optimisation = Optimisation(
            network=network,
            steps=self.steps,
            examples=prepared.train,
            held_out=prepared.held_out,
            kept=self.kept,
            learning_rate=chosen.learning_rate,
            keep_weight=run.retention_weight,
            capacity=ready.capacity,
            checkpoint=CheckpointFile(run.work, fingerprint(mark)),
            checkpoint_seconds=run.checkpoint_seconds,
            signals=signals,
        )

    def run(self) -> None:
        prepared = self.ready.prepared
        resumed = self.optimisation.resume()
        emit(
            "plan",
            hyperparameters=prepared.hyperparameters.asdict(),
            examples=len(prepared.train),
            held_out=len(prepared.held_out),
            tokens=prepared.tokens,
            truncated=prepared.truncated,
            steps=len(self.steps),
            trainable_parameters=self._trainable(),
            memory=self.ready.estimate.needed,
            device=self.ready.device.type,
            retention=self.mode,
            resumed_from=resumed,
        )
        emit("stage", stage="training", message=f"{len(self.steps)} steps")
        stopped = self.optimisation.run()
        with self.signals.interruptible():
            emit("stage", stage="comparing", message="Comparing the adapter with its base")
            result = self._result(stopped)
        emit("stage", stage="saving", message="Writing the adapter")
        template = None if self.ready.renderer.tokenizer.chat_template else self.ready.renderer.template
        result = save_adapter(self.run_settings.output, self.ready.network.model, template, result)
        self.optimisation.checkpoint.path.unlink(missing_ok=True)
        result.pop("curve")
        emit("result", **result, output=str(self.run_settings.output))

    def _compile(self) -> None:
        """Compiling takes about a minute, so it only pays off on a GPU and for long runs."""
        asked = self.run_settings.compile
        tokens = self.ready.prepared.tokens * self.ready.prepared.hyperparameters.epochs
        worth = self.ready.device.type == "cuda" and tokens * self.ready.base.parameters > 3e15
        if asked == "off" or (asked == "auto" and not worth):
            return
        compile_blocks(self.ready.network)

    def _general(self, part: str) -> list[Example]:
        made: list[Example] = []
        for conversation in general_conversations(part):
            made += self.ready.renderer.examples(conversation)
        limit = min(self.ready.base.context, max(512, self.ready.prepared.hyperparameters.max_seq_len))
        return [each for each in made if len(each.tokens) <= limit]

    def _trainable(self) -> int:
        return sum(each.numel() for each in lora.parameters(self.ready.network.model))

    def _measure(self, sample: list[Conversation]) -> Measures:
        ready = self.ready
        held_out = ready.prepared.held_out
        return Measures(
            mean_loss(ready.network, held_out, ready.capacity) if held_out else None,
            mean_loss(ready.network, self.check, ready.capacity),
            answers(ready.network, ready.renderer, sample) if sample else [],
        )

    def _result(self, stopped: bool) -> dict[str, Any]:
        ready, run = self.ready, self.run_settings
        prepared, progress = ready.prepared, self.optimisation.progress
        ready.network.model.eval()
        sample = prepared.held_out_conversations[: run.compare]
        after = self._measure(sample)
        with lora.base_only(ready.network.model):
            before = self._measure(sample)
        last = [point["loss"] for point in progress.curve[-max(1, len(self.steps) // 20) :]]
        return {
            "name": run.name,
            "base": {
                "id": run.base.get("id") or run.model.name,
                "revision": run.base.get("revision"),
                "path": str(run.model),
            },
            "data": {
                "sha256": ready.data_hash,
                "conversations": prepared.conversations,
                "held_out": len(prepared.held_out_conversations),
                "tokens": prepared.tokens,
                "truncated": prepared.truncated,
            },
            "hyperparameters": prepared.hyperparameters.asdict(),
            "steps": progress.step,
            "epochs": self.steps[progress.step - 1].epoch if progress.step else 0.0,
            "stopped_early": stopped,
            "seconds": progress.seconds,
            "tokens_per_second": progress.tokens / max(progress.seconds, 1e-9),
            "padding": progress.wasted / max(1, progress.tokens),
            "device": ready.device.type,
            "trainable_parameters": self._trainable(),
            "loss": statistics.fmean(last) if last else None,
            "held_out": compared(before, after, sample) if prepared.held_out else None,
            "retention": {
                "mode": self.mode,
                "base_loss": before.general,
                "adapter_loss": after.general,
                "change": after.general / before.general - 1,
            },
            "curve": thin(progress.curve),
            "versions": versions(),
        }


def retention_mode(run: Run, conversations: int) -> str:
    if run.retention_mode != "auto":
        return run.retention_mode
    return "kl" if conversations < 2000 else "off"


def compared(before: Measures, after: Measures, sample: list[Conversation]) -> dict[str, Any]:
    expected = [expected_of(each) for each in sample]
    prompts = [str(question_of(each)[-1].get("content") or "") if question_of(each) else "" for each in sample]
    none = {"exact_match": None, "token_f1": None}
    return {
        "base": {"loss": before.held_out, **(scores(expected, before.answers) if sample else none)},
        "adapter": {"loss": after.held_out, **(scores(expected, after.answers) if sample else none)},
        "improvement": 1 - after.held_out / before.held_out,
        "examples": [
            {"prompt": prompt, "expected": want, "base": old, "adapter": new}
            for prompt, want, old, new in zip(prompts, expected, before.answers, after.answers, strict=True)
        ],
    }


def thin(curve: list[dict[str, Any]], most: int = 2000) -> list[dict[str, Any]]:
    """Keeps evenly spaced points of long runs, and all points with an evaluation."""
    stride = -(-len(curve) // most)
    return [point for at, point in enumerate(curve) if at % max(1, stride) == 0 or point["eval_loss"] is not None]


def versions() -> dict[str, str]:
    import transformers

    return {
        "trainer": __version__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "python": platform.python_version(),
    }
