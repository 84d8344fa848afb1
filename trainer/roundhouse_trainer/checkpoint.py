"""Saves the state of a run between steps atomically."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch

from .lines import log
from .refusal import Refusal


def fingerprint(parts: dict[str, Any]) -> str:
    """Runs with the same fingerprint take the same steps."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


class CheckpointFile:
    def __init__(self, folder: Path, mark: str):
        self.path = folder / "checkpoint.pt"
        self.mark = mark

    def save(self, state: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        try:
            with part.open("wb") as file:
                torch.save({"mark": self.mark, **state}, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.path)
        except OSError as error:
            part.unlink(missing_ok=True)
            if error.errno == 28:
                raise Refusal("no_space", "There is not enough disk space for a checkpoint.") from error
            raise

    def load(self) -> dict[str, Any] | None:
        if not self.path.is_file():
            return None
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception as error:
            log(f"ignoring the checkpoint, which can't be read: {error}")
            return None
        if state.get("mark") != self.mark:
            log("ignoring the checkpoint, which belongs to another run")
            return None
        return state
