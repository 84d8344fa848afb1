"""Writes the adapter in llama.cpp's format."""

from pathlib import Path
from typing import Any

import torch

from .lora import adapters

# llama.cpp's name of each family, and whether its converter reorders the rows of q and k.
FAMILIES = {
    "llama": ("llama", True),
    "mistral": ("llama", True),
    "granite": ("granite", True),
    "smollm3": ("smollm3", True),
    "qwen2": ("qwen2", False),
    "qwen3": ("qwen3", False),
    "gemma": ("gemma", False),
    "gemma2": ("gemma2", False),
    "gemma3_text": ("gemma3", False),
    "phi3": ("phi3", False),
}


def write_gguf_adapter(model: Any, path: Path, name: str, alpha: float) -> str | None:
    """Writes the file. Returns the reason if it can't be written."""
    from gguf import MODEL_ARCH, MODEL_ARCH_NAMES, GGUFWriter, get_tensor_name_map

    config = model.config.get_text_config()
    if config.model_type not in FAMILIES:
        return f"the format of {config.model_type} adapters for llama.cpp is not supported"
    architecture, reordered = FAMILIES[config.model_type]
    family = next((each for each in MODEL_ARCH if MODEL_ARCH_NAMES.get(each) == architecture), None)
    if family is None:
        return f"llama.cpp's tensor names for {architecture} are not supported"
    names = get_tensor_name_map(family, config.num_hidden_layers)
    tensors: list[tuple[str, torch.Tensor]] = []
    for module_name, module in adapters(model):
        target = names.get_name(module_name)
        if target is None:
            return f"llama.cpp has no name for the layer {module_name}"
        down, up = module.lora_A.detach().cpu().float(), module.lora_B.detach().cpu().float()
        if reordered and module_name.endswith("q_proj"):
            up = reorder_rows(up, config.num_attention_heads)
        if reordered and module_name.endswith("k_proj"):
            up = reorder_rows(up, config.num_key_value_heads)
        tensors += [(f"{target}.weight.lora_a", down), (f"{target}.weight.lora_b", up)]
    writer = GGUFWriter(path, architecture)
    writer.add_type("adapter")
    writer.add_name(name)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for target, tensor in tensors:
        writer.add_tensor(target, tensor.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return None


def reorder_rows(up: torch.Tensor, heads: int) -> torch.Tensor:
    """llama.cpp rotates adjacent rows and transformers rotates halves, so the halves of each head are interleaved."""
    rows, rank = up.shape
    return up.reshape(heads, 2, rows // heads // 2, rank).swapaxes(1, 2).reshape(rows, rank)
