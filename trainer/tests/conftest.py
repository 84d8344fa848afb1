"""A tiny model with its own vocabulary, created on the fly without downloads."""

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from roundhouse_trainer import lines
from roundhouse_trainer.rendering import CHATML
from roundhouse_trainer.settings import read_run
from roundhouse_trainer.signals import Signals
from roundhouse_trainer.train import train

TEXT = [
    "system user assistant What is the color of the stone? The color of the stone is violet. Hello, how are you today?",
    "Which city is the capital? The capital is Quellin. One two three four five six seven eight nine ten.",
]


def make_tokenizer() -> PreTrainedTokenizerFast:
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=384, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = CHATML
    return made


@pytest.fixture(scope="session")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_tokenizer()


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory, tokenizer: PreTrainedTokenizerFast) -> Path:
    folder = tmp_path_factory.mktemp("base")
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=384,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        # Wide enough for an adapter to change the answers of a random model.
        initializer_range=0.15,
        eos_token_id=2,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def model(base: Path) -> LlamaForCausalLM:
    return LlamaForCausalLM.from_pretrained(base, dtype=torch.float32).eval()


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """Collects emitted events instead of writing them."""
    seen: list[dict] = []

    class Collector:
        def write(self, text: str) -> None:
            seen.append(json.loads(text))

        def flush(self) -> None:
            pass

    monkeypatch.setattr(lines, "_out", Collector())
    return seen


def write_data(path: Path, count: int = 24) -> Path:
    colors = ["violet", "green", "red", "blue"]
    with path.open("w", encoding="utf-8") as file:
        for index in range(count):
            question = f"What is the color of stone {index % 4}{'?' * (index % 5 + 1)}"
            answer = f"The color is {colors[index % 4]}."
            messages = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
            file.write(json.dumps({"messages": messages}) + "\n")
    return path


def run_config(model: Path, folder: Path, /, **changes: object) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    settings = {
        "model": str(model),
        "data": str(write_data(folder / "data.jsonl")),
        "output": str(folder / "adapter"),
        "work": str(folder / "work"),
        "cache": str(folder / "cache"),
        "hyperparameters": {"epochs": 3, "batch_size": 6, "rank": 4, "learning_rate": 5e-3},
        "device": "cpu",
        "threads": 1,
        "compare": 2,
        **changes,
    }
    path = folder / "run.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def do_train(config: Path, signals: Signals | None = None) -> None:
    train(read_run(config), signals or Signals())
