"""Writes a tiny random Llama (safetensors, own byte-level tokenizer, chat template) and a PEFT LoRA adapter of it.

Usage: tiny-llama.py <folder>: makes <folder>/model and <folder>/adapter. The weights are random and the same each time.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

HIDDEN, LAYERS, HEADS, KEY_VALUE_HEADS, INNER, CONTEXT, RANK = 128, 2, 2, 1, 256, 512, 8
SPECIAL = ["<s>", "</s>", "<|user|>", "<|assistant|>"]
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}"
    "{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def write_tokenizer(folder: Path) -> int:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate(SPECIAL + alphabet)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "</s>",
        "model_max_length": CONTEXT,
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return len(vocabulary)


def write_model(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    config = LlamaConfig(
        vocab_size=write_tokenizer(folder),
        hidden_size=HIDDEN,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_VALUE_HEADS,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=1,
        tie_word_embeddings=False,
        initializer_range=0.4,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


def write_adapter(folder: Path, base: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    head = HIDDEN // HEADS
    widths = {"q_proj": HIDDEN, "k_proj": head * KEY_VALUE_HEADS, "v_proj": head * KEY_VALUE_HEADS, "o_proj": HIDDEN}
    weights = {}
    for layer in range(LAYERS):
        for name, width in widths.items():
            stem = f"base_model.model.model.layers.{layer}.self_attn.{name}"
            weights[f"{stem}.lora_A.weight"] = torch.randn(RANK, HIDDEN) * 0.3
            weights[f"{stem}.lora_B.weight"] = torch.randn(width, RANK) * 0.3
    save_file(weights, folder / "adapter_model.safetensors")
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": str(base),
        "r": RANK,
        "lora_alpha": 2 * RANK,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted(widths),
        "inference_mode": True,
    }
    (folder / "adapter_config.json").write_text(json.dumps(config))


torch.manual_seed(7)
target = Path(sys.argv[1])
write_model(target / "model")
write_adapter(target / "adapter", target / "model")
