"""The baseline: a plain transformers + peft loop with sdpa, as in their documentation."""

from contextlib import nullcontext

import torch
from torch import nn

try:
    from peft import LoraConfig, get_peft_model
except ImportError:
    get_peft_model = None

NAMES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


class PlainLora(nn.Module):
    """Replaces peft's linear layer on machines without peft: the adapter in 32 bits, added to the base's result."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float):
        super().__init__()
        self.base_layer = base
        self.lora_A = nn.Linear(base.in_features, rank, bias=False, device=base.weight.device, dtype=torch.float32)
        self.lora_B = nn.Linear(rank, base.out_features, bias=False, device=base.weight.device, dtype=torch.float32)
        self.scaling = alpha / rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = self.base_layer(x)
        dtype = result.dtype
        result = result + self.lora_B(self.lora_A(x.to(self.lora_A.weight.dtype))) * self.scaling
        return result.to(dtype)


def adapt(model: nn.Module, rank: int, alpha: float) -> str:
    if get_peft_model is not None:
        get_peft_model(model, LoraConfig(r=rank, lora_alpha=alpha, target_modules=NAMES, task_type="CAUSAL_LM"))
        return "peft"
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and name.rpartition(".")[2] in NAMES:
            parent = model.get_submodule(name.rpartition(".")[0])
            setattr(parent, name.rpartition(".")[2], PlainLora(module, rank, alpha))
    return "a plain LoRA layer (peft is not installed)"


class PlainLoop:
    def __init__(
        self, model: nn.Module, rank: int, alpha: float, rate: float, starts: list[torch.Tensor], autocast: bool
    ):
        self.how = adapt(model, rank, alpha)
        self.model = model
        self.device = next(model.parameters()).device
        self.autocast = autocast
        self.parameters = [each for each in model.parameters() if each.requires_grad]
        with torch.no_grad():
            set_starts(model, starts)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=rate, weight_decay=0.0)

    def step(self, rows: list[list[int]]) -> torch.Tensor:
        longest = max(map(len, rows))
        tokens = torch.zeros(len(rows), longest, dtype=torch.long)
        labels = torch.full((len(rows), longest), -100)
        mask = torch.zeros(len(rows), longest, dtype=torch.long)
        for index, row in enumerate(rows):
            tokens[index, : len(row)] = labels[index, : len(row)] = torch.tensor(row)
            mask[index, : len(row)] = 1
        inputs = {"input_ids": tokens, "labels": labels}
        if not mask.all():
            inputs["attention_mask"] = mask
        with torch.autocast(self.device.type, torch.bfloat16) if self.autocast else nullcontext():
            loss = self.model(**{key: value.to(self.device) for key, value in inputs.items()}).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()


def set_starts(model: nn.Module, starts: list[torch.Tensor]) -> None:
    """Gives both loops the same initial weights."""
    downs = [value for name, value in model.named_parameters() if "lora_A" in name]
    ups = [value for name, value in model.named_parameters() if "lora_B" in name]
    for down, start in zip(downs, starts, strict=True):
        down.copy_(start)
    for up in ups:
        up.zero_()
