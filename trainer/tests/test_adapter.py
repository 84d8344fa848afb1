import json

import pytest
import torch
from gguf import GGUFReader
from safetensors.torch import save_file

from roundhouse_trainer import lora
from roundhouse_trainer.gguf_adapter import write_gguf_adapter


def teach(model) -> None:
    """Gives the adapter random weights: untrained, it adds nothing."""
    generator = torch.Generator().manual_seed(3)
    for _, module in lora.adapters(model):
        module.lora_B.data.normal_(0, 0.2, generator=generator)


def test_the_custom_gradient_equals_autograd(model):
    lora.add_lora(model, 4, 8, seed=1)
    teach(model)
    tokens = torch.arange(3, 40)[None]
    model(input_ids=tokens, labels=tokens).loss.backward()
    ours = [each.grad.clone() for each in lora.parameters(model)]
    for _, module in lora.adapters(model):
        module.traced, module.lora_A.grad, module.lora_B.grad = True, None, None
    model(input_ids=tokens, labels=tokens).loss.backward()
    for mine, plain in zip(ours, lora.parameters(model), strict=True):
        torch.testing.assert_close(mine, plain.grad, atol=1e-5, rtol=1e-3)


def test_a_disabled_adapter_leaves_the_base(model):
    tokens = torch.arange(3, 40)[None]
    before = model(input_ids=tokens).logits
    lora.add_lora(model, 4, 8, seed=1)
    teach(model)
    assert not torch.allclose(model(input_ids=tokens).logits, before)
    with lora.base_only(model):
        torch.testing.assert_close(model(input_ids=tokens).logits, before)


def test_peft_reads_the_adapter_and_gives_the_same_result(model, base, tmp_path):
    peft = pytest.importorskip("peft")
    from transformers import LlamaForCausalLM

    lora.add_lora(model, 4, 8, seed=1)
    teach(model)
    save_file(lora.peft_state(model), tmp_path / "adapter_model.safetensors", metadata={"format": "pt"})
    config = lora.peft_config(model, str(base), None, 4, 8)
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    plain = LlamaForCausalLM.from_pretrained(base, dtype=torch.float32).eval()
    theirs = peft.PeftModel.from_pretrained(plain, tmp_path)
    tokens = torch.arange(3, 40)[None]
    want = model(input_ids=tokens).logits.log_softmax(-1)
    torch.testing.assert_close(theirs(input_ids=tokens).logits.log_softmax(-1), want, atol=1e-4, rtol=1e-4)


def test_the_gguf_adapter_gives_the_same_log_probabilities(model, tmp_path):
    from transformers.modeling_gguf_pytorch_utils import LlamaTensorProcessor

    lora.add_lora(model, 4, 8, seed=1)
    teach(model)
    assert write_gguf_adapter(model, tmp_path / "adapter.gguf", "test", 8.0) is None
    reader = GGUFReader(str(tmp_path / "adapter.gguf"))
    values = {
        key: reader.get_field(key).contents()
        for key in ("general.architecture", "general.type", "adapter.type", "adapter.lora.alpha")
    }
    assert values == {
        "general.architecture": "llama",
        "general.type": "adapter",
        "adapter.type": "lora",
        "adapter.lora.alpha": 8.0,
    }
    tensors = {tensor.name: torch.tensor(tensor.data) for tensor in reader.tensors}
    assert len(tensors) == 2 * 7 * 2
    tokens = torch.arange(3, 40)[None]
    with torch.no_grad():
        want = model(input_ids=tokens).logits.log_softmax(-1)
        plain = with_deltas(model, tensors, lambda delta, heads, shared: delta)
        processor = LlamaTensorProcessor(config={})
        undo = lambda delta, heads, shared: processor._reverse_permute_weights(delta, heads, shared)  # noqa: E731
        undone = with_deltas(model, tensors, undo)
        torch.testing.assert_close(undone(input_ids=tokens).logits.log_softmax(-1), want, atol=1e-4, rtol=1e-4)
        # Without undoing the row order of q and k the result must differ, else this test would prove nothing.
        assert (plain(input_ids=tokens).logits.log_softmax(-1) - want).abs().mean() > 1e-3


def with_deltas(model, tensors, undo):
    """The base with the adapter of the file merged into its weights."""
    import copy

    merged = copy.deepcopy(model)
    names = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"}
    names |= {"gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"}
    for name, module in lora.adapters(merged):
        parts = name.split(".")
        target = f"blk.{parts[2]}.{names[parts[-1]]}.weight"
        delta = tensors[f"{target}.lora_b"] @ tensors[f"{target}.lora_a"] * (8.0 / 4)
        if parts[-1] in ("q_proj", "k_proj"):
            delta = undo(delta, 4, 4 if parts[-1] == "q_proj" else 2)
        module.weight.data = module.weight.data + delta
        module.enabled = False
    return merged
