"""Turns conversations into training examples and held-out examples."""

import random
from dataclasses import dataclass
from typing import Any

from .base_model import BaseInfo
from .conversations import Conversation
from .refusal import Refusal
from .rendering import Example, Renderer
from .settings import Hyperparameters, choose

MINIMUM = 4


@dataclass
class Prepared:
    hyperparameters: Hyperparameters
    train: list[Example]
    held_out: list[Example]
    held_out_conversations: list[Conversation]
    conversations: int
    tokens: int
    truncated: int


def prepare(
    conversations: list[Conversation],
    renderer: Renderer,
    base: BaseInfo,
    wanted: dict[str, Any],
    share: float,
) -> Prepared:
    if len(conversations) < MINIMUM:
        raise Refusal(
            "too_little_data",
            f"There are {len(conversations)} conversations; at least {MINIMUM} are needed, and a few dozen are better.",
            conversations=len(conversations),
        )
    rendered = {each.line: renderer.examples(each) for each in conversations}
    longest = max(len(example.tokens) for examples in rendered.values() for example in examples)
    if longest > base.context and wanted.get("max_seq_len") is None:
        lines = too_long(rendered, base.context)
        raise Refusal(
            "sequence_too_long",
            f"{len(lines)} conversations are longer than the model's context of {base.context} tokens "
            f"(the longest has {longest}; the first are on lines {', '.join(map(str, lines[:10]))}). "
            "Shorten them, or set max_seq_len to truncate them.",
            context=base.context,
            longest=longest,
            lines=lines[:10],
        )
    chosen = choose(wanted, len(conversations), base.parameters, base.context, longest)
    cut = {line: cut_all(examples, chosen.max_seq_len) for line, examples in rendered.items()}
    usable = [each for each in conversations if cut[each.line]]
    if len(usable) < MINIMUM:
        raise Refusal(
            "too_little_data",
            f"When truncated to {chosen.max_seq_len} tokens, only {len(usable)} conversations contain an answer.",
            conversations=len(usable),
        )
    train, held = split(usable, share, chosen.seed)
    examples = [example for each in train for example in cut[each.line]]
    return Prepared(
        hyperparameters=chosen,
        train=examples,
        held_out=[example for each in held for example in cut[each.line]],
        held_out_conversations=held,
        conversations=len(conversations),
        tokens=sum(len(example.tokens) for example in examples),
        truncated=len(too_long(rendered, chosen.max_seq_len)),
    )


def too_long(rendered: dict[int, list[Example]], limit: int) -> list[int]:
    return [line for line, examples in rendered.items() if any(len(each.tokens) > limit for each in examples)]


def cut_all(examples: list[Example], length: int) -> list[Example]:
    return [cut for cut in (each.cut(length) for each in examples) if cut.learned > 0]


def split(conversations: list[Conversation], share: float, seed: int) -> tuple[list[Conversation], list[Conversation]]:
    """The same seed holds out the same conversations, whatever the other hyperparameters."""
    count = min(200, round(len(conversations) * share)) if len(conversations) >= 10 else 0
    order = list(conversations)
    random.Random(seed).shuffle(order)
    held = {each.line for each in order[:count]}
    return [each for each in conversations if each.line not in held], order[:count]
