"""The base model: its description, read without loading it, and the loaded model."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .refusal import Refusal


@dataclass(frozen=True)
class BaseInfo:
    path: Path
    gguf: bool
    architecture: str
    parameters: int
    context: int
    layers: int
    width: int
    inner_width: int
    vocabulary: int


def describe_base(path: Path) -> BaseInfo:
    if path.is_file() and path.suffix.lower() == ".gguf":
        from .gguf_base import describe_gguf

        return describe_gguf(path)
    if not (path / "config.json").is_file():
        raise Refusal("model_unreadable", f"{path.name} is neither a GGUF file nor a folder with a config.json.")
    return _describe_folder(path)


def _describe_folder(path: Path) -> BaseInfo:
    try:
        whole = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise Refusal("model_unreadable", "The model's config.json is not JSON.") from error
    config = whole.get("text_config") or whole
    names = whole.get("architectures") or ["unknown"]
    if not any("CausalLM" in name or "LMHead" in name or "ConditionalGeneration" in name for name in names):
        raise Refusal(
            "model_unsupported", f"{names[0]} is not a chat model; only models that generate text can be trained."
        )
    if whole.get("quantization_config"):
        raise Refusal("model_unsupported", "The model is quantised; train the original model instead.")
    parameters = sum(_safetensors_size(file) for file in sorted(path.glob("*.safetensors")))
    if parameters == 0:
        raise Refusal("model_unreadable", f"There is no safetensors file in {path.name}.")
    width = int(config.get("hidden_size") or config.get("n_embd") or 0)
    return BaseInfo(
        path=path,
        gguf=False,
        architecture=str(config.get("model_type", "unknown")),
        parameters=parameters,
        context=int(config.get("max_position_embeddings") or config.get("n_positions") or 2048),
        layers=int(config.get("num_hidden_layers") or config.get("n_layer") or 0),
        width=width,
        inner_width=int(config.get("intermediate_size") or 4 * width),
        vocabulary=int(config.get("vocab_size") or 0),
    )


def _safetensors_size(file: Path) -> int:
    """Counts the parameters of a file from its header."""
    try:
        with file.open("rb") as handle:
            header = json.loads(handle.read(int.from_bytes(handle.read(8), "little")))
    except (OSError, ValueError, MemoryError) as error:
        raise Refusal("model_unreadable", f"{file.name} is damaged: its header can't be read.") from error
    total = 0
    for name, entry in header.items():
        if name != "__metadata__":
            size = 1
            for extent in entry["shape"]:
                size *= extent
            total += size
    return total


def load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    # Reading only tokenizer.json takes a tenth of the time, because no model code is imported.
    kind = PreTrainedTokenizerFast if (folder / "tokenizer.json").is_file() else AutoTokenizer
    try:
        return kind.from_pretrained(folder, local_files_only=True)
    except Exception as error:
        raise Refusal("model_unreadable", f"The model's tokenizer can't be read: {_first_line(error)}") from error


def load_model(folder: Path, dtype: Any, device: Any) -> Any:
    from transformers import AutoModelForCausalLM

    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True)
    except Exception as error:
        raise Refusal("model_unreadable", f"The model can't be loaded: {_first_line(error)}") from error
    return model.to(device).eval()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
