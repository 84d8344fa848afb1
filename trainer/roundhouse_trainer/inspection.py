"""Describes a data set under a model's template, and whether it can be trained here. Loads only the tokenizer."""

import statistics
from pathlib import Path
from typing import Any

from . import memory
from .base_model import BaseInfo, describe_base, load_tokenizer
from .conversations import Conversation, read_conversations
from .device import bytes_each, choose_device
from .gguf_base import unpack_gguf
from .lines import emit
from .preparation import too_long
from .rendering import Renderer
from .settings import choose


def inspect(model: Path, data: Path | None, wanted: dict[str, Any], cache: Path, examples: int, device: str) -> None:
    base = describe_base(model)
    if data is None:
        emit("inspection", **_model_part(base, wanted, 0, min(512, base.context), device))
        return
    conversations, digest = read_conversations(data)
    folder = unpack_gguf(base.path, cache / "bases", tokenizer_only=True) if base.gguf else base.path
    renderer = Renderer(load_tokenizer(folder))
    rendered = {each.line: renderer.examples(each) for each in conversations}
    lengths = sorted(len(example.tokens) for group in rendered.values() for example in group)
    longest = lengths[-1] if lengths else 0
    chosen = choose(wanted, len(conversations), base.parameters, base.context, min(longest, base.context))
    emit(
        "inspection",
        sha256=digest,
        conversations=len(conversations),
        turns=sum(len(each.messages) for each in conversations),
        assistant_tokens=sum(example.learned for group in rendered.values() for example in group),
        tokens={
            "total": sum(lengths),
            "min": lengths[0] if lengths else 0,
            "median": statistics.median_low(lengths) if lengths else 0,
            "p95": lengths[int(0.95 * (len(lengths) - 1))] if lengths else 0,
            "max": longest,
        },
        truncated=len(too_long(rendered, chosen.max_seq_len)),
        too_long=too_long(rendered, base.context)[:10],
        examples=[_shown(renderer, each) for each in conversations[:examples]],
        **_model_part(base, wanted, len(conversations), longest, device),
    )


def _model_part(base: BaseInfo, wanted: dict[str, Any], count: int, longest: int, device: str) -> dict[str, Any]:
    chosen = choose(wanted, count, base.parameters, base.context, min(longest, base.context))
    place = choose_device(device)
    need = memory.estimate(base, chosen.rank, max(512, chosen.max_seq_len), bytes_each(place), True, base.gguf)
    found = memory.summary(need, memory.available(place))
    reason = None
    if not found["enough"]:
        reason = (
            f"Training needs about {memory.gigabytes(found['needed'])} of memory, "
            f"but only {memory.gigabytes(found['available'])} is free."
        )
    return {
        "context": base.context,
        "model": {
            "parameters": base.parameters,
            "architecture": base.architecture,
            "trainable": reason is None,
            "reason": reason,
        },
        "hyperparameters": chosen.asdict(),
        "memory": found,
        "device": place,
    }


def _shown(renderer: Renderer, conversation: Conversation) -> dict[str, Any]:
    made = renderer.examples(conversation)
    return {
        "line": conversation.line,
        "tokens": sum(len(each.tokens) for each in made),
        "text": "\n".join(renderer.tokenizer.decode(each.tokens) for each in made),
        "trained": [renderer.tokenizer.decode(each.tokens[start:end]) for each in made for start, end in each.spans],
    }
