"""Keeps standard output for JSON lines, whatever libraries print."""

import json
import math
import os
import sys
from typing import Any, TextIO

_out: TextIO | None = None


def claim_stdout() -> None:
    """Reserves standard output for our lines and redirects all other output to standard error."""
    global _out
    if _out is not None:
        return
    _out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout.flush()
    os.dup2(2, 1)


def emit(event: str, **fields: Any) -> None:
    out = _out or sys.stdout
    out.write(json.dumps({"event": event, **finite(fields)}, ensure_ascii=False) + "\n")
    out.flush()


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def finite(value: Any) -> Any:
    """Rounds numbers, and replaces those that JSON lacks (NaN, infinity) with null."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
