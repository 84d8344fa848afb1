"""Compares base and adapter on held-out conversations."""

from collections import Counter
from typing import Any

import torch

from .conversations import Conversation
from .network import Network
from .rendering import Renderer


@torch.no_grad()
def answers(network: Network, renderer: Renderer, conversations: list[Conversation]) -> list[str]:
    """Generates greedy answers to the last turn of each conversation."""
    prompts = [renderer.prompt(question_of(each)) for each in conversations]
    expected = [len(renderer.tokenizer(expected_of(each))["input_ids"]) for each in conversations]
    longest = max(len(prompt) for prompt in prompts)
    tokens = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(tokens)
    for index, prompt in enumerate(prompts):
        tokens[index, longest - len(prompt) :] = torch.tensor(prompt)
        mask[index, longest - len(prompt) :] = 1
    model = network.model
    packed = model.config._attn_implementation
    model.set_attn_implementation("sdpa")
    try:
        made = model.generate(
            input_ids=tokens.to(network.device),
            attention_mask=mask.to(network.device),
            max_new_tokens=min(200, max(expected) + 8),
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            eos_token_id=sorted(renderer.ends),
            pad_token_id=next(iter(sorted(renderer.ends))),
        )
    finally:
        model.set_attn_implementation(packed)
    return [_said(row.tolist(), renderer) for row in made[:, longest:].cpu()]


def _said(tokens: list[int], renderer: Renderer) -> str:
    end = next((at for at, token in enumerate(tokens) if token in renderer.ends), len(tokens))
    return renderer.tokenizer.decode(tokens[:end], skip_special_tokens=True).strip()


def last_answer(conversation: Conversation) -> int:
    return max(at for at, message in enumerate(conversation.messages) if message["role"] == "assistant")


def question_of(conversation: Conversation) -> list[dict[str, Any]]:
    return conversation.messages[: last_answer(conversation)]


def expected_of(conversation: Conversation) -> str:
    return str(conversation.messages[last_answer(conversation)].get("content") or "").strip()


def scores(expected: list[str], said: list[str]) -> dict[str, float]:
    count = max(1, len(expected))
    return {
        "exact_match": sum(want == got for want, got in zip(expected, said, strict=True)) / count,
        "token_f1": sum(token_f1(want, got) for want, got in zip(expected, said, strict=True)) / count,
    }


def token_f1(expected: str, said: str) -> float:
    want, got = Counter(expected.lower().split()), Counter(said.lower().split())
    shared = sum((want & got).values())
    if shared == 0:
        return float(want == got)
    return 2 * shared / (want.total() + got.total())
