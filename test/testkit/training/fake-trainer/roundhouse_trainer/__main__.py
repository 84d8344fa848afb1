"""Speaks the trainer's lines without training. What it does is said by the name of the run."""

import json
import os
import signal
import sys
import time
from pathlib import Path

STEPS = 6


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def train(config):
    name, work, output = config["name"], Path(config["work"]), Path(config["output"])
    work.mkdir(parents=True, exist_ok=True)
    kept = work / "step"
    begin = int(kept.read_text()) if kept.exists() else None
    if "refused" in name:
        emit("error", code="not_enough_memory", message="The training needs about 90.0 GB of memory, but only 8.0 GB is free.")
        return 2
    if "broken" in name:
        print("Traceback: something gave way", file=sys.stderr)
        emit("error", code="internal", message="The trainer failed: ValueError: gave way")
        return 1
    conversations = [json.loads(line) for line in Path(config["data"]).read_text(encoding="utf-8").splitlines()]
    assert all(each["messages"][-1]["role"] == "assistant" for each in conversations)
    chosen = {"epochs": 5, "learning_rate": 0.002, "rank": 16, "alpha": 32, **config["hyperparameters"]}
    emit("stage", stage="training", message="Training")
    emit("plan", hyperparameters=chosen, steps=STEPS, resumed_from=begin, examples=len(conversations), held_out=1)

    def stop(*_):
        emit("interrupted", step=int(kept.read_text()) if kept.exists() else 0)
        os._exit(75)

    signal.signal(signal.SIGTERM, stop)
    early = []
    signal.signal(signal.SIGUSR1, lambda *_: early.append(True))
    for step in range((begin or 0) + 1, STEPS + 1):
        print("a library says something that is {not JSON", flush=True)
        print('{"event": "of a kind that nobody knows"}', flush=True)
        print(f"a warning of step {step}", file=sys.stderr, flush=True)
        emit(
            "progress", step=step, total=STEPS, epoch=step / 2, loss=4 / step, eval_loss=5 / step if step % 2 == 0 else None,
            retention_loss=0.1, learning_rate=0.002, tokens_per_second=200.0, remaining_seconds=float(STEPS - step), padding=0.0,
        )
        kept.write_text(str(step))
        emit("checkpoint", step=step)
        if step == 3 and "slow" in name and begin is None:
            while not early:
                time.sleep(0.05)
            break
        if step == 3 and "dies" in name and begin is None:
            os.kill(os.getpid(), signal.SIGKILL)
        if step == 3 and "silent" in name:
            return 0
    made = output.with_name(output.name + ".partial")
    made.mkdir(parents=True)
    (made / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": chosen["rank"], "lora_alpha": 32, "target_modules": ["q_proj"]}))
    header = b"{}      "
    (made / "adapter_model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    (made / "adapter.gguf").write_bytes(b"GGUF")
    (made / "README.md").write_text("# card\n")
    result = {
        "hyperparameters": chosen, "steps": STEPS, "stopped_early": False, "loss": 0.7,
        "held_out": {
            "base": {"loss": 4.0, "exact_match": 0.0, "token_f1": 0.2},
            "adapter": {"loss": 1.0, "exact_match": 1.0, "token_f1": 1.0},
            "improvement": 0.75,
            "examples": [{"prompt": "q", "expected": "a", "base": "b", "adapter": "a"}],
        },
        "retention": {"mode": "kl", "base_loss": 2.0, "adapter_loss": 2.1, "change": 0.05},
        "gguf": {"file": "adapter.gguf"},
    }
    (made / "training.json").write_text(json.dumps(result))
    made.rename(output)
    if "late" in name:
        os.kill(os.getpid(), signal.SIGKILL)
    emit("result", output=str(output), **result)
    return 0


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "train":
        return train(json.loads(Path(arguments[arguments.index("--config") + 1]).read_text(encoding="utf-8")))
    data = Path(arguments[arguments.index("--data") + 1]).read_text(encoding="utf-8").splitlines()
    emit("inspection", conversations=len(data), tokens={"total": 90, "min": 10, "median": 12, "p95": 20, "max": 30})
    return 0


sys.exit(main())
