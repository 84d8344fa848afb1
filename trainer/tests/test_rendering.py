import pytest

from roundhouse_trainer.conversations import Conversation
from roundhouse_trainer.refusal import Refusal
from roundhouse_trainer.rendering import CHATML, Renderer

TALK = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "How are you?"},
    {"role": "user", "content": "What is the capital?"},
    {"role": "assistant", "content": "Quellin."},
]


def learned(renderer: Renderer, example) -> list[str]:
    return [renderer.tokenizer.decode(example.tokens[start:end]) for start, end in example.spans]


def with_template(tokenizer, template: str) -> Renderer:
    renderer = Renderer(tokenizer)
    renderer.template = template
    return renderer


def test_only_the_answers_and_the_ends_of_their_turns_are_learned(tokenizer):
    renderer = Renderer(tokenizer)
    (example,) = renderer.examples(Conversation(1, TALK))
    assert learned(renderer, example) == ["How are you?<|im_end|>", "Quellin.<|im_end|>"]
    # The last learned token is the last one: the line break after a turn is never generated.
    assert example.spans[-1][1] == len(example.tokens)


def test_every_answer_follows_exactly_its_prompt(tokenizer):
    renderer = Renderer(tokenizer)
    (example,) = renderer.examples(Conversation(1, TALK))
    for (start, _), turn in zip(example.spans, (1, 3), strict=True):
        assert example.tokens[:start] == renderer.prompt(TALK[:turn])


def test_a_template_that_rewrites_earlier_turns_gives_a_sequence_for_each_answer(tokenizer):
    # As in reasoning models: the reasoning is only shown in the last turn.
    template = CHATML.replace(
        "message['content']", "(message['content'] if loop.last else message['content'].split('=')[-1])"
    )
    talk = [*TALK[:1], {"role": "assistant", "content": "thought=said"}, *TALK[2:]]
    renderer = with_template(tokenizer, template)
    first, second = renderer.examples(Conversation(1, talk))
    assert learned(renderer, first) == ["thought=said<|im_end|>"]
    assert learned(renderer, second) == ["Quellin.<|im_end|>"]
    assert "thought" not in tokenizer.decode(second.tokens)
    assert second.tokens[: second.spans[0][0]] == renderer.prompt(talk[:3])


def test_a_prompt_that_differs_from_the_history_is_kept(tokenizer):
    template = CHATML.replace("assistant\n' }}{% endif", "assistant\n(no thought)\n' }}{% endif")
    renderer = with_template(tokenizer, template)
    first, *_ = renderer.examples(Conversation(1, TALK[:2]))
    assert first.tokens[: first.spans[0][0]] == renderer.prompt(TALK[:1])
    assert learned(renderer, first) == ["How are you?<|im_end|>"]


def test_a_conversation_that_the_template_rejects_is_refused_with_its_line(tokenizer):
    renderer = with_template(tokenizer, "{{ raise_exception('no system, please') }}")
    with pytest.raises(Refusal, match="line 7") as refused:
        renderer.examples(Conversation(7, TALK))
    assert refused.value.code == "template_refuses"


def test_cutting_keeps_what_is_learned_inside_the_cut(tokenizer):
    (example,) = Renderer(tokenizer).examples(Conversation(1, TALK))
    start, end = example.spans[0]
    cut = example.cut(end - 1)
    assert cut.spans == [(start, end - 1)]
    assert len(cut.tokens) == end - 1
