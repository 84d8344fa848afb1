import random

import pytest
import torch

from roundhouse_trainer import attention, lora
from roundhouse_trainer.network import Network
from roundhouse_trainer.packing import fill_rows, join, plan_steps
from roundhouse_trainer.rendering import Example


def example(length: int, seed: int) -> Example:
    tokens = [random.Random(f"{seed}-{at}").randrange(3, 380) for at in range(length)]
    return Example(1, tokens, [(length // 2, length)])


@pytest.mark.parametrize("short", [256, 0], ids=["short segments", "the fused kernel"])
def test_conversations_that_share_a_row_do_not_see_each_other(model, monkeypatch, short):
    monkeypatch.setattr(attention, "SHORT", short)
    alone = [example(length, length) for length in (5, 33, 17, 1)]
    with torch.no_grad():
        plain = [model.model(input_ids=torch.tensor([each.tokens])).last_hidden_state[0] for each in alone]
        packed = Network(model, True).states(join(alone, multiple=8))
    assert packed.shape[0] == 56
    torch.testing.assert_close(packed[:56], torch.cat([*plain, packed[56:]])[:56], atol=1e-4, rtol=1e-4)


def test_recomputed_activations_give_the_same_gradient(model):
    lora.add_lora(model, 4, 8, seed=1)
    network = Network(model, True)
    batch = join([example(21, 1), example(9, 2)])
    network.states(batch).square().sum().backward()
    kept = [each.grad.clone() for each in lora.parameters(model)]
    model.enable_input_require_grads()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.train().zero_grad()
    network.states(batch).square().sum().backward()
    for first, second in zip(kept, lora.parameters(model), strict=True):
        torch.testing.assert_close(first, second.grad)


def test_a_sliding_window_is_honoured():
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, heads, 12, 8) for heads in (4, 2, 2))
    bounds = torch.tensor([0, 12], dtype=torch.int32)
    got, _ = attention.packed_attention(None, query, key, value, sliding_window=3, cu_seq_lens_q=bounds)
    scores = query @ key.repeat_interleave(2, 1).transpose(2, 3) / 8**0.5
    distance = torch.arange(12)[:, None] - torch.arange(12)[None, :]
    scores = scores.masked_fill((distance < 0) | (distance >= 3), float("-inf"))
    want = scores.softmax(-1) @ value.repeat_interleave(2, 1)
    torch.testing.assert_close(got, want.transpose(1, 2), atol=1e-5, rtol=1e-5)


def test_labels_are_the_tokens_after_the_learned_positions():
    one, two = example(6, 1), example(4, 2)
    batch = join([one, two])
    assert batch.learned.tolist() == [2, 3, 4, 7, 8]
    assert batch.labels.tolist() == [*one.tokens[3:], *two.tokens[2:]]
    assert batch.positions.tolist() == [[0, 1, 2, 3, 4, 5, 0, 1, 2, 3]]


def test_mixed_lengths_fill_rows_with_little_waste():
    lengths = [int(random.Random(at).lognormvariate(5.2, 0.8)) % 2000 + 20 for at in range(400)]
    rows = fill_rows(lengths, 4096)
    assert sorted(index for row in rows for index in row) == list(range(400))
    used = [sum(lengths[index] for index in row) for row in rows]
    assert max(used) <= 4096
    padded = sum(-(-each // 64) * 64 for each in used)
    assert 1 - sum(used) / padded < 0.05


def test_the_plan_depends_on_the_seed_and_uses_each_example_once_per_epoch():
    lengths = [10 + at for at in range(23)]
    plan = plan_steps(lengths, 2, 5, 64, 7, [12, 13, 14], 2)
    assert plan == plan_steps(lengths, 2, 5, 64, 7, [12, 13, 14], 2)
    assert plan != plan_steps(lengths, 2, 5, 64, 8, [12, 13, 14], 2)
    assert len(plan) == 10
    first = [member for step in plan[:5] for row in step.rows for member in row]
    assert sorted(member for member in first if member >= 0) == list(range(23))
    assert all(sum(member < 0 for row in step.rows for member in row) == 2 for step in plan)
