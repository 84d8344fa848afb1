"""Writes the folder of the finished adapter atomically."""

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from . import lora
from .gguf_adapter import write_gguf_adapter
from .lines import finite
from .model_card import model_card
from .refusal import Refusal


def save_adapter(output: Path, model: Any, template: str | None, result: dict[str, Any]) -> dict[str, Any]:
    """Writes all files to `output`, replacing an existing folder; returns the result with the GGUF outcome added."""
    output.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    chosen = result["hyperparameters"]
    try:
        save_file(lora.peft_state(model), work / "adapter_model.safetensors", metadata={"format": "pt"})
        base = result["base"]
        config = lora.peft_config(model, base["id"], base["revision"], chosen["rank"], chosen["alpha"])
        (work / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        reason = write_gguf_adapter(model, work / "adapter.gguf", result["name"], chosen["alpha"])
        result = {**result, "gguf": {"reason": reason} if reason else {"file": "adapter.gguf"}}
        if template is not None:
            (work / "chat_template.jinja").write_text(template, encoding="utf-8")
        (work / "training.json").write_text(
            json.dumps(finite(result), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
        )
        (work / "README.md").write_text(model_card(finite(result)), encoding="utf-8")
        os.chmod(work, 0o755)
        _replace(work, output)
    except OSError as error:
        if error.errno == 28:
            raise Refusal("no_space", "There is not enough disk space for the adapter.") from error
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return result


def _replace(work: Path, output: Path) -> None:
    old = None
    if output.exists():
        old = output.with_name(f".{output.name}-old")
        shutil.rmtree(old, ignore_errors=True)
        os.replace(output, old)
    os.replace(work, output)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)
