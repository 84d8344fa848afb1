"""Reads the data: one conversation per line."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from .refusal import Refusal

ROLES = {"system", "developer", "user", "assistant", "tool"}


@dataclass(frozen=True)
class Conversation:
    line: int
    messages: list[dict[str, Any]]


def read_conversations(path: Path) -> tuple[list[Conversation], str]:
    """Returns the conversations and the file's SHA-256. Reports the first ten bad lines."""
    digest = hashlib.sha256()
    conversations: list[Conversation] = []
    problems: list[dict[str, Any]] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                digest.update(line)
                if not line.strip():
                    continue
                try:
                    conversations.append(Conversation(number, messages_of(json.loads(line))))
                except ValueError as error:
                    problems.append({"line": number, "reason": str(error)})
    except OSError as error:
        raise Refusal("bad_data", f"The data can't be read: {error.strerror}.") from error
    if problems:
        shown = "; ".join(f"line {each['line']}: {each['reason']}" for each in problems[:10])
        raise Refusal("bad_data", f"{len(problems)} lines can't be used: {shown}.", lines=problems[:10])
    return conversations, digest.hexdigest()


def messages_of(record: Any) -> list[dict[str, Any]]:
    messages = record.get("messages") if isinstance(record, dict) else None
    if not isinstance(messages, list) or not messages:
        raise ValueError("there is no list of messages")
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise ValueError(f"a message's role is not one of {', '.join(sorted(ROLES))}")
        if not isinstance(message.get("content"), str) and not message.get("tool_calls"):
            raise ValueError("a message's content is not text")
    if not any(message["role"] == "assistant" for message in messages):
        raise ValueError("there is no assistant message")
    return messages


def general_conversations(part: str) -> list[Conversation]:
    """General questions: `keep` is used in training to limit forgetting, `check` only to measure it."""
    text = resources.files(__package__).joinpath("general", f"{part}.jsonl").read_text(encoding="utf-8")
    return list(_parse(text))


def _parse(text: str) -> Iterator[Conversation]:
    for number, line in enumerate(text.splitlines(), 1):
        yield Conversation(number, messages_of(json.loads(line)))
