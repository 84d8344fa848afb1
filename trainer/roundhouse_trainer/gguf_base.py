"""GGUF files as bases: converted once and cached as safetensors."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .base_model import BaseInfo, _first_line
from .lines import emit
from .refusal import Refusal


def describe_gguf(path: Path) -> BaseInfo:
    from gguf import GGUFReader

    try:
        reader = GGUFReader(str(path))
    except Exception as error:
        raise Refusal("model_unreadable", f"{path.name} is not a readable GGUF file: {_first_line(error)}") from error
    architecture = str(_value(reader, "general.architecture") or "unknown")
    if _value(reader, "general.type") == "adapter":
        raise Refusal("gguf_unsupported", f"{path.name} contains an adapter, not a model.")
    _refuse_unreadable(reader, architecture)
    return BaseInfo(
        path=path,
        gguf=True,
        architecture=architecture,
        parameters=sum(int(tensor.n_elements) for tensor in reader.tensors),
        context=int(_value(reader, f"{architecture}.context_length") or 2048),
        layers=int(_value(reader, f"{architecture}.block_count") or 0),
        width=int(_value(reader, f"{architecture}.embedding_length") or 0),
        inner_width=int(_value(reader, f"{architecture}.feed_forward_length") or 0),
        vocabulary=_rows(reader, "token_embd.weight"),
    )


def _refuse_unreadable(reader: Any, architecture: str) -> None:
    from gguf import GGMLQuantizationType
    from gguf.quants import _type_traits
    from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES

    if architecture not in GGUF_SUPPORTED_ARCHITECTURES:
        raise Refusal("gguf_unsupported", f"GGUF models of the architecture {architecture} can't be trained.")
    plain = {GGMLQuantizationType.F32, GGMLQuantizationType.F16, GGMLQuantizationType.BF16}
    kinds = {tensor.tensor_type for tensor in reader.tensors}
    unknown = sorted(kind.name for kind in kinds if kind not in plain and kind not in _type_traits)
    if unknown:
        raise Refusal(
            "gguf_unsupported",
            f"Tensors of the type {', '.join(unknown)} can't be unpacked; use another quantisation.",
            types=unknown,
        )


def _value(reader: Any, key: str) -> Any:
    field = reader.get_field(key)
    return field.contents() if field is not None else None


def _rows(reader: Any, name: str) -> int:
    return next((int(tensor.shape[-1]) for tensor in reader.tensors if tensor.name == name), 0)


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _hash(file)


def _hash(file: Any) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def unpack_gguf(path: Path, cache: Path, tokenizer_only: bool = False) -> Path:
    """Returns the folder with the model as safetensors; created atomically on the first use."""
    key = file_hash(path)[:32]
    folder = cache / key
    if (folder / "config.json").is_file():
        return folder
    if tokenizer_only:
        return _make(path, cache, cache / f"{key}-tokenizer", weights=False)
    return _make(path, cache, folder, weights=True)


def _make(path: Path, cache: Path, folder: Path, weights: bool) -> Path:
    if (folder / "tokenizer_config.json").is_file():
        return folder
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    emit("stage", stage="converting", message=f"Converting {path.name}, which is used for the first time")
    cache.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".unpack-", dir=cache))
    try:
        AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name).save_pretrained(work)
        if weights:
            model = AutoModelForCausalLM.from_pretrained(
                path.parent,
                gguf_file=path.name,
                dtype=torch.bfloat16,
                quantization_config=GgufConfig(dequantize=True),
            )
            if hasattr(model.config, "quantization_config"):
                del model.config.quantization_config
            model.save_pretrained(work)
        try:
            os.replace(work, folder)
        except OSError:
            # Another run created the same folder first.
            if not folder.is_dir():
                raise
    except OSError as error:
        if error.errno == 28:
            raise Refusal("no_space", f"There is not enough disk space to unpack {path.name}.") from error
        raise
    except (ValueError, KeyError, NotImplementedError, ImportError, RuntimeError) as error:
        raise Refusal("gguf_unsupported", f"{path.name} can't be unpacked: {_first_line(error)}") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder
