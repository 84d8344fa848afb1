"""Low-rank adapters over frozen linear layers."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.functional import linear


class _AdaptedLinear(torch.autograd.Function):
    """
    The product of the frozen layer, with the adapter's added in place. This keeps nothing for the unneeded gradient of
    the frozen weights, and avoids writing the sum of two large tensors.
    """

    @staticmethod
    def forward(ctx, rows, weight, bias, down, up, scale):
        inner = rows @ down.t()
        out = linear(rows, weight, bias)
        out.addmm_(inner, up.t(), alpha=scale)
        ctx.save_for_backward(rows, weight, down, up, inner)
        ctx.scale = scale
        return out

    @staticmethod
    def backward(ctx, gradient):
        rows, weight, down, up, inner = ctx.saved_tensors
        towards_inner = (gradient @ up).mul_(ctx.scale)
        for_up = (gradient.t() @ inner).mul_(ctx.scale)
        for_down = towards_inner.t() @ rows
        for_rows = None
        if ctx.needs_input_grad[0]:
            for_rows = gradient @ weight
            for_rows.addmm_(towards_inner, down)
        return for_rows, None, None, for_down, for_up, None


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, scale: float, generator: torch.Generator):
        super().__init__()
        self.weight = base.weight.requires_grad_(False)
        self.bias = base.bias.requires_grad_(False) if base.bias is not None else None
        self.in_features, self.out_features = base.in_features, base.out_features
        self.scale = scale
        self.enabled = True
        self.traced = False
        down = torch.empty(rank, base.in_features).uniform_(-1, 1, generator=generator) / math.sqrt(base.in_features)
        # Trained in 32 bits and used in the base's precision, because small steps would be lost in 16 bits.
        self.lora_A = nn.Parameter(down.to(base.weight.device))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank, device=base.weight.device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.enabled:
            return linear(x, self.weight, self.bias)
        down, up = self.lora_A.to(x.dtype), self.lora_B.to(x.dtype)
        if self.traced:
            # When compiled, the plain sum is better: the compiler fuses it with the next operation.
            return linear(x, self.weight, self.bias) + linear(linear(x, down), up * self.scale)
        rows = x.reshape(-1, self.in_features)
        out = _AdaptedLinear.apply(rows, self.weight, self.bias, down, up, self.scale)
        return out.view(*x.shape[:-1], self.out_features)


def add_lora(model: nn.Module, rank: int, alpha: float, seed: int) -> list[str]:
    """Adds an adapter to every linear layer of the decoder's blocks; returns their names."""
    model.requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    names = []
    for name, module in list(model.named_modules()):
        if not isinstance(module, nn.Linear) or not is_target(name):
            continue
        parent = model.get_submodule(name.rpartition(".")[0])
        setattr(parent, name.rpartition(".")[2], LoraLinear(module, rank, alpha / rank, generator))
        names.append(name)
    return names


def is_target(name: str) -> bool:
    """Linear layers inside a numbered block, except the routers of expert mixtures."""
    parts = name.split(".")
    return any(part.isdigit() for part in parts) and parts[-1] not in ("gate", "router")


def adapters(model: nn.Module) -> Iterator[tuple[str, LoraLinear]]:
    for name, module in model.named_modules():
        if isinstance(module, LoraLinear):
            yield name.replace("_orig_mod.", ""), module


@contextmanager
def base_only(model: nn.Module) -> Iterator[None]:
    """Disables the adapter, so that the network is the base model."""
    for _, module in adapters(model):
        module.enabled = False
    try:
        yield
    finally:
        for _, module in adapters(model):
            module.enabled = True


def parameters(model: nn.Module) -> list[nn.Parameter]:
    return [each for _, module in adapters(model) for each in (module.lora_A, module.lora_B)]


def peft_state(model: nn.Module) -> dict[str, torch.Tensor]:
    """The adapter's tensors under PEFT's names."""
    state = {}
    for name, module in adapters(model):
        state[f"base_model.model.{name}.lora_A.weight"] = module.lora_A.detach().cpu().contiguous()
        state[f"base_model.model.{name}.lora_B.weight"] = module.lora_B.detach().cpu().contiguous()
    return state


def peft_config(model: nn.Module, base: str, revision: str | None, rank: int, alpha: float) -> dict[str, Any]:
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "revision": revision,
        "r": rank,
        "lora_alpha": alpha,
        "lora_dropout": 0.0,
        "target_modules": sorted({name.rpartition(".")[2] for name, _ in adapters(model)}),
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "init_lora_weights": True,
        "modules_to_save": None,
        "use_rslora": False,
        "use_dora": False,
    }
