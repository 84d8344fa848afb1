"""Chooses device and precision. torch is imported only if there may be a GPU, to keep inspection fast."""

import shutil
from pathlib import Path

from .refusal import Refusal


def choose_device(wanted: str) -> str:
    usable = wanted != "cpu" and (Path("/dev/nvidia0").exists() or shutil.which("nvidia-smi")) and _cuda_works()
    if wanted == "cuda" and not usable:
        raise Refusal("device_unavailable", "A GPU was requested, but none is usable.")
    return "cuda" if usable else "cpu"


def _cuda_works() -> bool:
    import torch

    return torch.cuda.is_available()


def takes_half(device: str) -> bool:
    """Whether the device multiplies 16-bit numbers faster than 32-bit ones."""
    if device == "cuda":
        import torch

        return torch.cuda.is_bf16_supported()
    try:
        flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    except (OSError, StopIteration):
        return False
    return bool({"amx_bf16", "avx512_bf16"} & set(flags.split()))


def bytes_each(device: str) -> int:
    return 2 if takes_half(device) else 4
