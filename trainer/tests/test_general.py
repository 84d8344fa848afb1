import made_up_facts

import environment
from roundhouse_trainer.conversations import general_conversations


def test_the_questions_that_measure_forgetting_are_not_trained_on():
    asked = {part: {each.messages[0]["content"] for each in general_conversations(part)} for part in ("keep", "check")}
    assert len(asked["keep"]) == 80
    assert len(asked["check"]) == 24
    assert not asked["keep"] & asked["check"]


def test_the_made_up_facts_are_as_generated():
    for name, text in made_up_facts.files().items():
        assert (made_up_facts.FOLDER / name).read_text(encoding="utf-8") == text
    asked = {each["messages"][0]["content"] for each in made_up_facts.conversations()}
    assert len(asked) == 60
    assert not asked & {each["question"] for each in made_up_facts.questions()}


def test_the_cpu_variant_omits_gpu_packages():
    pinned = (environment.HERE / "requirements.txt").read_text(encoding="utf-8")
    entries = environment.entries_of(pinned)
    assert all("--hash=sha256:" in entry for entry in entries)
    left = [entry for entry in entries if not entry.startswith(environment.GPU_ONLY)]
    assert not any(word in entry for entry in left for word in ("nvidia", "triton", "cuda"))
    assert any(entry.startswith("transformers==") for entry in left)
