"""Causal attention over rows of several conversations, without attention between conversations."""

import inspect
import math
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

NAME = "roundhouse_packed"
SHORT = 256

try:
    from torch.nn.attention.varlen import varlen_attn
except ImportError:
    varlen_attn = None

# The kernel's parameters differ between versions.
_takes = set(inspect.signature(varlen_attn).parameters) if varlen_attn else set()
_TAKES_SCALE, _TAKES_WINDOW, _TAKES_GROUPS = ("scale" in _takes, "window_size" in _takes, "enable_gqa" in _takes)
_varlen_works: bool | None = None


def register() -> None:
    """Registers the function with transformers. It has no mask function, so it gets no mask and needs none."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, packed_attention)


def packed_attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    cu_seq_lens_q: torch.Tensor | None = None,
    max_length_q: int | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Tensors are `[1, heads, tokens, width]`; the result is `[1, tokens, heads, width]`, as transformers expects."""
    if query.is_cuda and softcap is None and _varlen_works:
        return _varlen(query, key, value, scaling, sliding_window, cu_seq_lens_q, max_length_q), None
    return _segments(query, key, value, scaling, sliding_window, softcap, cu_seq_lens_q), None


@torch.compiler.disable
def _segments(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scaling: float | None,
    window: int | None,
    softcap: float | None,
    bounds: torch.Tensor | None,
) -> torch.Tensor:
    sizes = bounds.diff().tolist() if bounds is not None else [query.shape[2]]
    # split and cat, because the gradient of a slice allocates a whole tensor of zeros.
    parts = zip(query.split(sizes, 2), key.split(sizes, 2), value.split(sizes, 2), strict=True)
    return torch.cat([_one(*part, scaling, window, softcap) for part in parts], 2).transpose(1, 2)


def _one(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scaling: float | None,
    window: int | None,
    softcap: float | None,
) -> torch.Tensor:
    length = query.shape[2]
    grouped = query.shape[1] != key.shape[1]
    whole = softcap is None and (window is None or length <= window)
    if whole and not query.is_cuda and length <= SHORT:
        return _short(query, key, value, scaling)
    if whole:
        return scaled_dot_product_attention(query, key, value, is_causal=True, scale=scaling, enable_gqa=grouped)
    places = torch.arange(length, device=query.device)
    distance = places[:, None] - places[None, :]
    seen = (distance >= 0) & (distance < (window or length))
    if softcap is None:
        return scaled_dot_product_attention(query, key, value, attn_mask=seen, scale=scaling, enable_gqa=grouped)
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = query @ key.transpose(2, 3) * (scaling or 1 / math.sqrt(query.shape[-1]))
    scores = (softcap * torch.tanh(scores / softcap)).float().masked_fill(~seen, -math.inf)
    return scores.softmax(-1).to(value.dtype) @ value


def _short(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float | None) -> torch.Tensor:
    """For CPUs: on a few dozen tokens, plain 32-bit products take less than half the time of the fused kernel."""
    heads, length, width = query.shape[1:]
    shared = key.shape[1]
    mask = torch.full((length, length), -math.inf).triu(1).repeat(heads // shared, 1)
    rows = query.float().reshape(shared, heads // shared * length, width)
    scores = torch.baddbmm(mask, rows, key[0].float().transpose(1, 2), alpha=scaling or 1 / math.sqrt(width))
    return (scores.softmax(-1) @ value[0].float()).reshape(1, heads, length, -1).to(query.dtype)


def _varlen(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scaling: float | None,
    window: int | None,
    bounds: torch.Tensor,
    longest: int,
) -> torch.Tensor:
    options: dict[str, Any] = {}
    if _TAKES_SCALE:
        options["scale"] = scaling
    elif scaling is not None:
        query = query * (scaling * math.sqrt(query.shape[-1]))
    if _TAKES_WINDOW:
        options["window_size"] = (-1 if window is None else window - 1, 0)
    else:
        options["is_causal"] = True
    if query.shape[1] != key.shape[1]:
        if _TAKES_GROUPS:
            options["enable_gqa"] = True
        else:
            groups = query.shape[1] // key.shape[1]
            key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    flat = [each[0].transpose(0, 1) for each in (query, key, value)]
    return varlen_attn(*flat, bounds, bounds, longest, longest, **options).unsqueeze(0)


def uses_varlen() -> bool:
    return bool(_varlen_works)


def probe_varlen(device: torch.device, dtype: torch.dtype, windowed: bool = False) -> bool:
    """Checks once, before training, whether the packed kernel runs here and agrees with the plain one."""
    global _varlen_works
    _varlen_works = False
    if varlen_attn is None or device.type != "cuda" or dtype == torch.float32:
        return False
    if windowed and not _TAKES_WINDOW:
        return False
    try:
        shape = {"query": 4, "key": 2, "value": 2}
        made = [
            torch.randn(1, heads, 80, 64, device=device, dtype=dtype, requires_grad=True) for heads in shape.values()
        ]
        bounds = torch.tensor([0, 17, 80], device=device, dtype=torch.int32)
        ours = _varlen(*made, None, None, bounds, 63)
        plain, _ = packed_attention(None, *made, cu_seq_lens_q=bounds)
        ours.sum().backward()
        _varlen_works = bool((ours - plain).abs().max() < 0.05)
    except (RuntimeError, TypeError, NotImplementedError):
        _varlen_works = False
    return _varlen_works
