"""Compiled decoder blocks: norms, rotations, activations and sums join into a few kernels around the large products."""

import torch

from . import lora
from .lines import log
from .network import Network


def compile_blocks(network: Network) -> None:
    """One graph serves all blocks: they differ in their weights alone. A block that can't be compiled runs as it is."""
    for _, module in lora.adapters(network.model):
        module.traced = True
    dynamo = torch._dynamo
    dynamo.config.suppress_errors = True
    dynamo.config.recompile_limit = max(getattr(dynamo.config, "recompile_limit", 8), 32)
    blocks = getattr(network.decoder, "layers", None)
    if blocks is None:
        log("the model's blocks are not where they were expected: not compiled")
        return
    # The first block is then given what the others are, and shares their graph.
    network.model.enable_input_require_grads()
    for block in blocks:
        block.compile()
