"""`python -m roundhouse_trainer train | inspect`."""

import argparse
import json
import os
import sys
import traceback
from pathlib import Path

from .lines import claim_stdout, emit
from .refusal import Interrupted, Refusal
from .settings import DEFAULT_CACHE, hyperparameter_problems, read_run
from .signals import Signals


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    claim_stdout()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    signals = Signals()
    signals.install()
    try:
        if options.command == "train":
            _train(options, signals)
        else:
            _inspect(options, signals)
        return 0
    except Interrupted:
        emit("interrupted", step=signals.saved_step)
        return 75
    except Refusal as refusal:
        details = {"details": refusal.details} if refusal.details else {}
        emit("error", code=refusal.code, message=refusal.message, **details)
        return 2
    except Exception as error:
        traceback.print_exc()
        emit("error", code="internal", message=f"The trainer failed: {type(error).__name__}: {error}"[:500])
        return 1


def _train(options: argparse.Namespace, signals: Signals) -> None:
    run = read_run(options.config)
    if run.threads:
        os.environ["OMP_NUM_THREADS"] = str(run.threads)
    from .train import train

    train(run, signals)


def _inspect(options: argparse.Namespace, signals: Signals) -> None:
    try:
        wanted = json.loads(options.hyperparameters)
    except ValueError as error:
        raise Refusal("bad_config", "The hyperparameters are not JSON.") from error
    if problems := hyperparameter_problems(wanted):
        raise Refusal("bad_config", f"{'; '.join(problems)}.")
    with signals.interruptible():
        from .inspection import inspect

        inspect(options.model, options.data, wanted, options.cache.expanduser(), options.examples, options.device)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="roundhouse_trainer", description="Trains LoRA adapters.")
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train an adapter")
    train.add_argument("--config", type=Path, required=True, help="configuration of the run, as JSON")
    look = commands.add_parser("inspect", help="describe a data set under a model, and what training would need")
    look.add_argument("--model", type=Path, required=True)
    look.add_argument("--data", type=Path)
    look.add_argument("--hyperparameters", default="{}")
    look.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    look.add_argument("--examples", type=int, default=3)
    look.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    return parser


if __name__ == "__main__":
    sys.exit(main())
