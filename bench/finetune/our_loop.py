"""The trainer's own parts on the same batches."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "trainer"))

from roundhouse_trainer import lora
from roundhouse_trainer.attention import uses_varlen
from roundhouse_trainer.blocks import compile_blocks
from roundhouse_trainer.losses import label_loss
from roundhouse_trainer.network import Network
from roundhouse_trainer.packing import Batch, join
from roundhouse_trainer.rendering import Example

__all__ = ["OurLoop", "uses_varlen"]


class OurLoop:
    def __init__(self, model, rank: int, alpha: float, rate: float, compiled: bool):
        lora.add_lora(model, rank, alpha, seed=0)
        self.network = Network(model, True)
        self.parameters = lora.parameters(model)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=rate, weight_decay=0.0, fused=True)
        if compiled:
            compile_blocks(self.network)

    def starts(self) -> list[torch.Tensor]:
        return [module.lora_A.detach().clone() for _, module in lora.adapters(self.network.model)]

    def batch(self, rows: list[list[int]], multiple: int = 1) -> Batch:
        return join([Example(0, row, [(1, len(row))]) for row in rows], multiple=multiple)

    def step(self, rows: list[list[int]], multiple: int = 1) -> torch.Tensor:
        batch = self.batch(rows, multiple).to(self.network.device)
        states = self.network.states(batch)
        loss = label_loss(states[batch.learned], batch.labels, self.network.head) / len(batch.labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()
