"""Reads the configuration of a run and chooses the hyperparameters that it leaves open."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .refusal import Refusal


@dataclass
class Hyperparameters:
    epochs: float
    learning_rate: float
    rank: int
    alpha: float
    max_seq_len: int
    batch_size: int
    seed: int

    def asdict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Run:
    model: Path
    data: Path
    output: Path
    work: Path
    cache: Path
    name: str
    base: dict[str, Any]
    hyperparameters: dict[str, Any]
    retention_mode: str = "auto"
    retention_weight: float = 2.0
    held_out: float = 0.1
    compare: int = 8
    device: str = "auto"
    threads: int | None = None
    memory_limit: int | None = None
    checkpoint_seconds: float = 30.0
    compile: str = "auto"


LIMITS: dict[str, tuple[type, float, float]] = {
    "epochs": (float, 0.01, 1000),
    "learning_rate": (float, 1e-8, 1),
    "rank": (int, 1, 1024),
    "alpha": (float, 1e-3, 65536),
    "max_seq_len": (int, 16, 1 << 20),
    "batch_size": (int, 1, 4096),
    "seed": (int, 0, 2**32 - 1),
}

DEFAULT_CACHE = Path("~/.cache/roundhouse/trainer")


def read_run(path: Path) -> Run:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refusal("bad_config", f"The run's configuration can't be read: {error}.") from error
    if not isinstance(raw, dict):
        raise Refusal("bad_config", "The run's configuration is not a JSON object.")
    problems = [f"{key} is missing" for key in ("model", "data", "output", "work") if not isinstance(raw.get(key), str)]
    retention = raw.get("retention") or {}
    if retention.get("mode", "auto") not in ("auto", "kl", "off"):
        problems.append("retention.mode is not auto, kl or off")
    if raw.get("device", "auto") not in ("auto", "cpu", "cuda"):
        problems.append("device is not auto, cpu or cuda")
    if raw.get("compile", "auto") not in ("auto", "on", "off"):
        problems.append("compile is not auto, on or off")
    share = raw.get("held_out", 0.1)
    if not isinstance(share, (int, float)) or not 0 <= share < 1:
        problems.append("held_out is not a number from 0 to below 1")
    wanted = raw.get("hyperparameters") or {}
    problems += hyperparameter_problems(wanted)
    if problems:
        raise Refusal("bad_config", f"The run can't be started: {'; '.join(problems)}.")
    output = Path(raw["output"]).expanduser()
    return Run(
        model=Path(raw["model"]).expanduser(),
        data=Path(raw["data"]).expanduser(),
        output=output,
        work=Path(raw["work"]).expanduser(),
        cache=Path(raw.get("cache") or DEFAULT_CACHE).expanduser(),
        name=str(raw.get("name") or output.name),
        base=raw.get("base") or {},
        hyperparameters=wanted,
        retention_mode=retention.get("mode", "auto"),
        retention_weight=float(retention.get("weight", 2.0)),
        held_out=float(share),
        compare=int(raw.get("compare", 8)),
        device=raw.get("device", "auto"),
        threads=raw.get("threads"),
        memory_limit=raw.get("memory_limit"),
        checkpoint_seconds=float(raw.get("checkpoint_seconds", 30)),
        compile=raw.get("compile", "auto"),
    )


def hyperparameter_problems(wanted: Any) -> list[str]:
    if not isinstance(wanted, dict):
        return ["hyperparameters is not an object"]
    problems = [f"{key} is not a hyperparameter" for key in wanted if key not in LIMITS]
    for key, (kind, least, most) in LIMITS.items():
        value = wanted.get(key)
        if value is None:
            continue
        numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not numeric or (kind is int and int(value) != value) or not least <= value <= most:
            problems.append(
                f"{key} is not {'a whole number' if kind is int else 'a number'} between {least:g} and {most:g}"
            )
    return problems


def choose(wanted: dict[str, Any], conversations: int, parameters: int, context: int, longest: int) -> Hyperparameters:
    """
    Few conversations: more epochs and smaller batches. Larger models: smaller learning rates.
    """

    def default(key: str, value: Any) -> Any:
        return wanted[key] if wanted.get(key) is not None else value

    rank = int(default("rank", 16 if conversations < 5000 else 32))
    rate = 2e-3 if parameters < 3e8 else 1e-3 if parameters < 1e9 else 4e-4 if parameters < 4e9 else 2e-4
    if conversations >= 2000:
        rate /= 2
    epochs = 5 if conversations < 200 else 3 if conversations < 2000 else 2 if conversations < 20000 else 1
    return Hyperparameters(
        epochs=float(default("epochs", epochs)),
        learning_rate=float(default("learning_rate", rate)),
        rank=rank,
        alpha=float(default("alpha", 2 * rank)),
        max_seq_len=min(int(default("max_seq_len", max(longest, 16))), context),
        batch_size=int(default("batch_size", 10 if conversations < 500 else 16 if conversations < 5000 else 32)),
        seed=int(default("seed", 42)),
    )
