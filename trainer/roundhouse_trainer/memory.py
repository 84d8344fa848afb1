"""Estimates the memory of a run before anything is loaded."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .base_model import BaseInfo

# Maximum number of logits in memory at once: 256 MiB in 32 bits.
SLICE = 64 * 1024 * 1024


@dataclass(frozen=True)
class Estimate:
    weights: int
    adapter: int
    activations: int
    logits: int
    program: int

    @property
    def needed(self) -> int:
        return self.weights + self.adapter + self.activations + self.logits + self.program

    def parts(self) -> dict[str, int]:
        return asdict(self)


def adapter_size(base: BaseInfo, rank: int) -> int:
    """Upper bound of parameters: seven layers per block, four of the state's width and three with the inner width."""
    return base.layers * rank * (4 * 2 * base.width + 3 * (base.width + base.inner_width))


def estimate(base: BaseInfo, rank: int, row: int, bytes_each: int, checkpointing: bool, unpacking: bool) -> Estimate:
    """`row` is the number of tokens that one forward pass holds."""
    # Tensors that the backward pass needs per block: eleven of the state's width and four of the inner width.
    block = row * bytes_each * (11 * base.width + 4 * base.inner_width)
    kept = base.layers * row * bytes_each * base.width + block if checkpointing else base.layers * block
    weights = base.parameters * bytes_each
    return Estimate(
        # Unpacking a GGUF temporarily holds it twice: as read and as converted.
        weights=max(weights, base.parameters * 4) if unpacking else weights,
        # Parameters, gradients and Adam's two moments, 32 bits each.
        adapter=adapter_size(base, rank) * 16,
        activations=kept,
        logits=min(row * base.vocabulary, SLICE) * 4 * 3,
        program=700_000_000,
    )


def available(device: str) -> int:
    if device == "cuda":
        import torch

        return int(torch.cuda.mem_get_info()[0])
    return min(_machine_free(), _container_free())


def _machine_free() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import psutil

    return int(psutil.virtual_memory().available)


def _container_free() -> int:
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        cached = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return 1 << 62 if limit == "max" else int(limit) - used + int(cached.get("inactive_file", 0))
    except (OSError, ValueError):
        return 1 << 62


def gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def summary(wanted: Estimate, free: int) -> dict[str, Any]:
    return {"needed": wanted.needed, "available": free, "enough": wanted.needed <= free, "parts": wanted.parts()}
