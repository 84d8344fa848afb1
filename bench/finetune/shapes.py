"""Models and data for both loops: random weights, learnable tokens, no downloads."""

import random
from dataclasses import dataclass

import torch
from transformers import LlamaConfig, LlamaForCausalLM


@dataclass(frozen=True)
class Shape:
    name: str
    config: dict
    batch: int
    length: int
    warm: int
    steps: int


SMALL = dict(hidden_size=2048, intermediate_size=8192, num_hidden_layers=24, num_attention_heads=16, vocab_size=49152)
LARGE = dict(
    hidden_size=4096,
    intermediate_size=14336,
    num_hidden_layers=32,
    num_attention_heads=32,
    num_key_value_heads=8,
    vocab_size=32000,
)
TINY = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=3, num_attention_heads=4, vocab_size=600)

SHAPES = {
    "1.8B": Shape("1.8B", SMALL, 8, 1024, 4, 24),
    "7B": Shape("7B", LARGE, 8, 1024, 3, 12),
    "tiny": Shape("tiny", TINY, 4, 32, 2, 12),
}


def build(shape: Shape, device: torch.device, dtype: torch.dtype) -> LlamaForCausalLM:
    """Returns a model with the same weights each time."""
    torch.manual_seed(0)
    config = LlamaConfig(max_position_embeddings=8192, tie_word_embeddings=False, use_cache=False, **shape.config)
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            model = LlamaForCausalLM._from_config(config, attn_implementation="sdpa")
    finally:
        torch.set_default_dtype(before)
    return model.to(device).train().requires_grad_(False)


def sequence(seed: int, length: int) -> list[int]:
    """Seven of ten tokens follow from the previous one, so that a part of the sequence is learnable."""
    chance = random.Random(seed)
    tokens = [chance.randrange(512)]
    while len(tokens) < length:
        tokens.append((tokens[-1] * 7 + 3) % 512 if chance.random() < 0.7 else chance.randrange(512))
    return tokens


def batches(shape: Shape) -> list[list[list[int]]]:
    total = shape.warm + shape.steps
    return [[sequence(step * 1000 + row, shape.length) for row in range(shape.batch)] for step in range(total)]


def mixed_lengths(count: int, most: int) -> list[int]:
    """Conversations of mixed length: most short, some long."""
    chance = random.Random(5)
    return [min(most, max(16, int(chance.lognormvariate(5.5, 0.8)))) for _ in range(count)]
