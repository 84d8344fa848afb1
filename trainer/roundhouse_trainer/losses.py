"""Losses over a frozen output layer: only at learned positions, in slices, with the gradient computed alongside."""

from dataclasses import dataclass
from typing import Any

import torch

from .memory import SLICE


@dataclass(frozen=True)
class Head:
    """The output layer, and the scaling and capping that some families apply to its result."""

    weight: torch.Tensor
    factor: float = 1.0
    softcap: float | None = None

    @staticmethod
    def of(model: Any) -> "Head":
        text = model.config.get_text_config()
        factor = getattr(text, "logit_scale", None) or 1.0
        factor /= getattr(text, "logits_scaling", None) or 1.0
        return Head(
            model.get_output_embeddings().weight.detach(), factor, getattr(text, "final_logit_softcapping", None)
        )

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        logits = (hidden @ self.weight.t()).float()
        if self.factor != 1.0:
            logits = logits * self.factor
        return logits if self.softcap is None else self.softcap * torch.tanh(logits / self.softcap)

    def towards_hidden(self, gradient: torch.Tensor, logits: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        if self.softcap is not None:
            gradient = gradient * (1 - (logits / self.softcap) ** 2)
        if self.factor != 1.0:
            gradient = gradient * self.factor
        return gradient.to(dtype) @ self.weight

    def slices(self, hidden: torch.Tensor) -> list[slice]:
        rows = max(1, SLICE // self.weight.shape[0])
        return [slice(at, at + rows) for at in range(0, hidden.shape[0], rows)]


class _LabelLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, labels, head):
        total = hidden.new_zeros((), dtype=torch.float32)
        gradient = torch.empty_like(hidden) if ctx.needs_input_grad[0] else None
        for part in head.slices(hidden):
            logits = head.logits(hidden[part])
            wanted = labels[part].unsqueeze(1)
            normal = logits.logsumexp(-1, keepdim=True)
            total += (normal - logits.gather(1, wanted)).sum()
            if gradient is not None:
                towards = (logits - normal).exp_()
                towards.scatter_add_(1, wanted, torch.full_like(normal, -1.0))
                gradient[part] = head.towards_hidden(towards, logits, hidden.dtype)
        ctx.save_for_backward(gradient)
        return total

    @staticmethod
    def backward(ctx, above):
        (gradient,) = ctx.saved_tensors
        return gradient * above.to(gradient.dtype), None, None


class _KeepLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, before, head):
        total = hidden.new_zeros((), dtype=torch.float32)
        gradient = torch.empty_like(hidden) if ctx.needs_input_grad[0] else None
        for part in head.slices(hidden):
            logits = head.logits(hidden[part])
            now = logits.log_softmax(-1)
            then = head.logits(before[part].to(hidden.dtype)).log_softmax(-1)
            likely = then.exp()
            total += (likely * (then - now)).sum()
            if gradient is not None:
                gradient[part] = head.towards_hidden(now.exp_() - likely, logits, hidden.dtype)
        ctx.save_for_backward(gradient)
        return total

    @staticmethod
    def backward(ctx, above):
        (gradient,) = ctx.saved_tensors
        return gradient * above.to(gradient.dtype), None, None


def label_loss(hidden: torch.Tensor, labels: torch.Tensor, head: Head) -> torch.Tensor:
    """The sum of the cross-entropies. `hidden` contains the states that predict `labels`."""
    return _LabelLoss.apply(hidden, labels, head)


def keep_loss(hidden: torch.Tensor, before: torch.Tensor, head: Head) -> torch.Tensor:
    """The sum of the KL divergences from the base's predictions, given the base's last hidden states."""
    return _KeepLoss.apply(hidden, before, head)
