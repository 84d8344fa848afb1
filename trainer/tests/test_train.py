import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import do_train, run_config, write_data
from safetensors.torch import load_file

from roundhouse_trainer.refusal import Interrupted, Refusal
from roundhouse_trainer.settings import choose
from roundhouse_trainer.signals import Signals


def losses(events: list[dict]) -> list[float]:
    return [event["loss"] for event in events if event["event"] == "progress"]


def test_a_run_writes_the_adapter_and_all_measurements(base, tmp_path, events):
    hyperparameters = {"epochs": 6, "batch_size": 6, "rank": 4, "learning_rate": 3e-2}
    do_train(run_config(base, tmp_path, base={"id": "org/tiny", "revision": "abc"}, hyperparameters=hyperparameters))
    assert [event["stage"] for event in events if event["event"] == "stage"] == [
        "reading",
        "loading",
        "training",
        "comparing",
        "saving",
    ]
    result = events[-1]
    assert result["event"] == "result"
    assert result["steps"] == 24
    assert result["padding"] == 0
    assert result["held_out"]["adapter"]["loss"] < result["held_out"]["base"]["loss"] / 2
    assert len(result["held_out"]["examples"]) == 2
    assert result["retention"]["mode"] == "kl"
    assert {path.name for path in (tmp_path / "adapter").iterdir()} == {
        "adapter_model.safetensors",
        "adapter_config.json",
        "adapter.gguf",
        "README.md",
        "training.json",
    }
    written = json.loads((tmp_path / "adapter" / "training.json").read_text())
    assert [point["loss"] for point in written["curve"]] == losses(events)
    card = (tmp_path / "adapter" / "README.md").read_text()
    assert "org/tiny" in card
    assert result["data"]["sha256"] in card
    progress = [event for event in events if event["event"] == "progress"]
    assert progress[-1]["eval_loss"] == pytest.approx(result["held_out"]["adapter"]["loss"], rel=1e-3)
    assert set(progress[0]) >= {"step", "total", "epoch", "learning_rate", "tokens_per_second", "remaining_seconds"}


def test_the_same_seed_gives_the_same_adapter_and_another_seed_another(base, tmp_path, events):
    made = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        hyperparameters = {"epochs": 1, "rank": 4, "seed": seed}
        do_train(run_config(base, tmp_path / name, hyperparameters=hyperparameters, compare=0))
        made.append(load_file(tmp_path / name / "adapter" / "adapter_model.safetensors"))
    assert all((made[0][key] == made[1][key]).all() for key in made[0])
    assert any((made[0][key] != made[2][key]).any() for key in made[0])


def test_an_interrupted_run_resumes_with_the_same_result(base, tmp_path, events):
    do_train(run_config(base, tmp_path / "whole", compare=0))
    whole = losses(events)
    whole_adapter = load_file(tmp_path / "whole" / "adapter" / "adapter_model.safetensors")
    events.clear()

    config = run_config(base, tmp_path / "broken", compare=0)
    with pytest.raises(Interrupted):
        do_train(config, interrupt_after(events, 5))
    assert events[-1] == {"event": "checkpoint", "step": 5}
    assert not (tmp_path / "broken" / "adapter").exists()

    do_train(config)
    plan = next(event for event in events if event["event"] == "plan" and event["resumed_from"])
    assert plan["resumed_from"] == 5
    assert losses(events) == pytest.approx(whole, rel=0.02)
    broken_adapter = load_file(tmp_path / "broken" / "adapter" / "adapter_model.safetensors")
    assert all((whole_adapter[key] - broken_adapter[key]).abs().max() < 1e-3 for key in whole_adapter)


def test_a_checkpoint_of_other_hyperparameters_is_ignored(base, tmp_path, events):
    with pytest.raises(Interrupted):
        do_train(run_config(base, tmp_path, compare=0), interrupt_after(events, 3))
    do_train(run_config(base, tmp_path, compare=0, hyperparameters={"epochs": 1, "rank": 2}))
    assert [event["resumed_from"] for event in events if event["event"] == "plan"] == [None, None]


def test_a_run_that_is_stopped_early_keeps_its_adapter(base, tmp_path, events):
    signals = Signals()
    watch(events, lambda: setattr(signals, "stop_early", True), 4)
    do_train(run_config(base, tmp_path), signals)
    assert events[-1]["event"] == "result"
    assert events[-1]["stopped_early"] is True
    assert events[-1]["steps"] == 4


def interrupt_after(events: list[dict], step: int) -> Signals:
    signals = Signals()
    watch(events, lambda: setattr(signals, "interrupted", True), step)
    return signals


def watch(events: list[dict], act, step: int) -> None:
    """Calls `act` as soon as the step is emitted."""
    from roundhouse_trainer import lines

    write = lines._out.write

    def seen(text: str) -> None:
        write(text)
        if events[-1].get("step") == step:
            act()

    lines._out.write = seen


REFUSED = {
    "too_little_data": {"lines": 3},
    "sequence_too_long": {"talk": "one " * 400},
    "not_enough_memory": {"memory_limit": 50_000_000},
    "bad_config": {"hyperparameters": {"rank": 0, "speed": 3}},
    "bad_data": {"raw": '{"messages":[{"role":"user","content":"hi"}]}\nnot json\n'},
    "model_unreadable": {"model": "/nowhere"},
}


@pytest.mark.parametrize("code", REFUSED)
def test_impossible_runs_are_refused_with_a_reason(base, tmp_path, events, code):
    asked = dict(REFUSED[code])
    count, talk, raw = asked.pop("lines", 24), asked.pop("talk", None), asked.pop("raw", None)
    config = run_config(base, tmp_path, **asked)
    data = write_data(tmp_path / "data.jsonl", count)
    if talk:
        messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": talk}]
        data.write_text(data.read_text() + json.dumps({"messages": messages}) + "\n")
    if raw:
        data.write_text(raw)
    with pytest.raises(Refusal) as refused:
        do_train(config)
    assert refused.value.code == code
    expected = {
        "sequence_too_long": "line",
        "not_enough_memory": "GB",
        "bad_data": "line 2",
        "bad_config": "speed is not",
    }
    assert expected.get(code, "") in refused.value.message


def test_an_explicit_length_truncates_instead_of_refusing(base, tmp_path, events):
    config = run_config(base, tmp_path, compare=0, hyperparameters={"max_seq_len": 40, "epochs": 1})
    data = tmp_path / "data.jsonl"
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "one " * 400}]
    data.write_text(data.read_text() + json.dumps({"messages": messages}) + "\n")
    do_train(config)
    assert events[-1]["data"]["truncated"] >= 1


def test_little_data_gets_more_epochs_and_large_models_smaller_learning_rates():
    few, many = choose({}, 60, 135_000_000, 8192, 60), choose({}, 50_000, 7_000_000_000, 8192, 900)
    assert few.epochs > many.epochs
    assert few.learning_rate > many.learning_rate
    assert choose({"rank": 8}, 60, 135_000_000, 8192, 60).alpha == 16


def test_the_program_prints_only_json_lines_and_handles_sigterm(base, tmp_path):
    config = run_config(base, tmp_path, hyperparameters={"epochs": 900, "rank": 2})
    program = start("train", "--config", str(config))
    seen = []
    for line in program.stdout:
        seen.append(json.loads(line))
        if seen[-1]["event"] == "progress":
            program.send_signal(signal.SIGTERM)
            break
    rest, _ = program.communicate(timeout=120)
    seen += [json.loads(line) for line in rest.splitlines()]
    assert program.returncode == 75
    assert seen[-1]["event"] == "interrupted"
    assert seen[-1]["step"] >= 1
    assert (tmp_path / "work" / "checkpoint.pt").is_file()


def test_inspection_describes_the_data_under_the_model(base, tmp_path):
    config = run_config(base, tmp_path)
    program = start("inspect", "--model", str(base), "--data", str(config.parent / "data.jsonl"), "--examples", "1")
    (line,) = program.communicate(timeout=120)[0].splitlines()
    told = json.loads(line)
    assert program.returncode == 0
    assert told["conversations"] == 24
    assert told["turns"] == 48
    assert told["tokens"]["min"] <= told["tokens"]["median"] <= told["tokens"]["max"] < told["context"] == 256
    assert told["model"]["trainable"] is True
    assert told["memory"]["needed"] > 0
    assert told["examples"][0]["trained"] == ["The color is violet.<|im_end|>"]


def start(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "roundhouse_trainer", *arguments],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
