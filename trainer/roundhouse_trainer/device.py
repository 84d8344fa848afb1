"""Where the training runs, and in which precision."""

import torch

from .refusal import Refusal


def choose_device(wanted: str) -> torch.device:
    if wanted == "cuda" and not torch.cuda.is_available():
        raise Refusal("device_unavailable", "A GPU was asked for and none can be used.")
    return torch.device("cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu")


def choose_dtype(device: torch.device) -> torch.dtype:
    """16 bits where the machine multiplies them faster, else 32."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    fast = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()
    return torch.bfloat16 if fast or getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)() else torch.float32
