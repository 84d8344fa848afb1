"""Compiles decoder blocks, which fuses norms, rotations, activations and sums into a few kernels."""

import torch

from . import lora
from .lines import log
from .network import Network


def compile_blocks(network: Network) -> None:
    """All blocks share one graph, because only their weights differ. A block that can't be compiled runs uncompiled."""
    for _, module in lora.adapters(network.model):
        module.traced = True
    dynamo = torch._dynamo
    dynamo.config.suppress_errors = True
    dynamo.config.recompile_limit = max(getattr(dynamo.config, "recompile_limit", 8), 32)
    blocks = getattr(network.decoder, "layers", None)
    if blocks is None:
        log("the model's blocks were not found, so they are not compiled")
        return
    # Gives the first block the same kind of input as the others, so that it shares their graph.
    network.model.enable_input_require_grads()
    for block in blocks:
        block.compile()
