"""Writes a tiny random Llama as safetensors, with a SentencePiece tokenizer, a chat template, and a PEFT LoRA adapter.

Usage: tiny-sentencepiece-llama.py <folder>: makes <folder>/model and <folder>/adapter. Needs no torch.
"""

import io
import json
import string
import sys
from pathlib import Path

import numpy
import sentencepiece
from safetensors.numpy import save_file

HIDDEN, LAYERS, HEADS, KEY_VALUE_HEADS, INNER, CONTEXT, RANK = 64, 2, 4, 2, 128, 256, 4
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}"
    "{{ eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
)
random = numpy.random.default_rng(7)


def matrix(*shape: int) -> numpy.ndarray:
    return (random.standard_normal(shape) * 0.2).astype(numpy.float32)


def write_tokenizer(folder: Path) -> int:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat and the hat", string.ascii_letters, string.punctuation] * 5),
        model_writer=model,
        model_type="bpe",
        vocab_size=384,
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    (folder / "tokenizer.model").write_bytes(model.getvalue())
    settings = {
        "tokenizer_class": "LlamaTokenizer",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).vocab_size()


def layer_shapes() -> dict[str, tuple[int, int]]:
    narrow = HIDDEN // HEADS * KEY_VALUE_HEADS
    return {
        "self_attn.q_proj": (HIDDEN, HIDDEN),
        "self_attn.k_proj": (narrow, HIDDEN),
        "self_attn.v_proj": (narrow, HIDDEN),
        "self_attn.o_proj": (HIDDEN, HIDDEN),
        "mlp.gate_proj": (INNER, HIDDEN),
        "mlp.up_proj": (INNER, HIDDEN),
        "mlp.down_proj": (HIDDEN, INNER),
    }


def write_model(folder: Path) -> None:
    folder.mkdir(parents=True)
    vocabulary = write_tokenizer(folder)
    weights = {
        "model.embed_tokens.weight": matrix(vocabulary, HIDDEN),
        "lm_head.weight": matrix(vocabulary, HIDDEN),
        "model.norm.weight": numpy.ones(HIDDEN, numpy.float32),
    }
    for layer in range(LAYERS):
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"model.layers.{layer}.{name}.weight"] = numpy.ones(HIDDEN, numpy.float32)
        for name, shape in layer_shapes().items():
            weights[f"model.layers.{layer}.{name}.weight"] = matrix(*shape)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": vocabulary,
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_VALUE_HEADS,
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "tie_word_embeddings": False,
    }
    (folder / "config.json").write_text(json.dumps(config))


def write_adapter(folder: Path) -> None:
    folder.mkdir(parents=True)
    weights = {}
    for layer in range(LAYERS):
        for name in ("self_attn.q_proj", "self_attn.v_proj"):
            rows, columns = layer_shapes()[name]
            stem = f"base_model.model.model.layers.{layer}.{name}"
            weights[f"{stem}.lora_A.weight"] = matrix(RANK, columns)
            weights[f"{stem}.lora_B.weight"] = matrix(rows, RANK)
    save_file(weights, folder / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": 8 * RANK, "base_model_name_or_path": "ours/llama"}
    (folder / "adapter_config.json").write_text(json.dumps(config))


target = Path(sys.argv[1])
write_model(target / "model")
write_adapter(target / "adapter")
