"""Runs a batch through the model, packed."""

from typing import Any

import torch

from . import attention
from .losses import Head
from .packing import Batch


class Network:
    """A transformers model whose rows may hold several conversations."""

    def __init__(self, model: Any, packed: bool):
        self.model = model
        self.decoder = model.get_decoder()
        self.packed = packed
        self.head = Head.of(model)
        self.device = self.head.weight.device
        if packed:
            attention.register()
            windowed = getattr(model.config.get_text_config(), "sliding_window", None) is not None
            attention.probe_varlen(self.device, self.head.weight.dtype, windowed)
            model.set_attn_implementation(attention.NAME)

    def states(self, batch: Batch) -> torch.Tensor:
        """The last hidden states, `[tokens, width]`."""
        bounds = {}
        if self.packed:
            # Rounded up to a power of two, so that there are few compiled graphs.
            longest = 1 << (batch.longest - 1).bit_length()
            bounds = {
                "cu_seq_lens_q": batch.bounds,
                "cu_seq_lens_k": batch.bounds,
                "max_length_q": longest,
                "max_length_k": longest,
            }
        out = self.decoder(input_ids=batch.tokens, position_ids=batch.positions, use_cache=False, **bounds)
        return out.last_hidden_state[0]


def can_pack(model: Any) -> bool:
    """Whether the attention can be replaced and is the only state carried between tokens."""
    text = model.config.get_text_config()
    kinds = set(getattr(text, "layer_types", None) or [])
    attends = kinds <= {"full_attention", "sliding_attention"}
    return bool(getattr(model, "_supports_attention_backend", False)) and attends
