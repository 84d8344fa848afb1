"""Renders conversations as the tokens that the served model sees, and marks those that are learned."""

from dataclasses import dataclass
from typing import Any

from .conversations import Conversation
from .refusal import Refusal

# For bases without a template; saved beside the adapter.
CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


@dataclass(frozen=True)
class Example:
    """A sequence of tokens; `spans` are the half-open ranges of the assistant's messages."""

    line: int
    tokens: list[int]
    spans: list[tuple[int, int]]

    @property
    def learned(self) -> int:
        return sum(end - start for start, end in self.spans)

    def targets(self) -> list[int]:
        """Positions whose next token is learned."""
        return [at - 1 for start, end in self.spans for at in range(max(start, 1), end)]

    def cut(self, length: int) -> "Example":
        if len(self.tokens) <= length:
            return self
        spans = [(start, min(end, length)) for start, end in self.spans if start < length]
        return Example(self.line, self.tokens[:length], spans)


class Renderer:
    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        self.template = tokenizer.chat_template or CHATML
        self.ends = self._end_tokens()

    def examples(self, conversation: Conversation) -> list[Example]:
        """
        Returns one sequence per conversation if every turn's rendering continues the previous one. Templates that
        rewrite earlier turns (for example, without their reasoning) give a new sequence at each break, so that every
        answer is learned after exactly the prompt that it will get.
        """
        messages = conversation.messages
        done: list[Example] = []
        tokens: list[int] = []
        spans: list[tuple[int, int]] = []
        for index, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            prompt, whole = self._turn(conversation, index)
            if spans and prompt[: len(tokens)] != tokens:
                done.append(Example(conversation.line, tokens, spans))
                spans = []
            end = self._turn_end(whole, len(prompt))
            tokens = whole[:end]
            spans = [*spans, (len(prompt), end)]
        return [*done, Example(conversation.line, tokens, spans)]

    def prompt(self, messages: list[dict[str, Any]]) -> list[int]:
        return self._tokens(self._text(messages, True))

    def _turn(self, conversation: Conversation, index: int) -> tuple[list[int], list[int]]:
        messages = conversation.messages
        try:
            before = self._text(messages[:index], True)
            after = self._text(messages[: index + 1], False)
        except Exception as error:
            raise Refusal(
                "template_refuses",
                f"The model's chat template rejects line {conversation.line}: {error}.",
                line=conversation.line,
            ) from error
        prompt = self._tokens(before)
        whole = self._tokens(after)
        if whole[: len(prompt)] == prompt:
            return prompt, whole
        if after.startswith(before):
            return prompt, prompt + self._tokens(after[len(before) :])
        # The history renders the turn differently from its prompt: keep the prompt and append the answer.
        content = str(messages[index].get("content") or "").strip()
        start = after.rfind(content) if content else -1
        if start < 0:
            raise Refusal(
                "template_refuses",
                f"The model's chat template does not render the answer of line {conversation.line}.",
                line=conversation.line,
            )
        return prompt, prompt + self._tokens(after[start:])

    def _turn_end(self, tokens: list[int], start: int) -> int:
        """Excludes what a template writes after the end of the turn (a line break), because it is never generated."""
        for at in range(len(tokens) - 1, start - 1, -1):
            if tokens[at] in self.ends:
                tail = self.tokenizer.decode(tokens[at + 1 :])
                return at + 1 if not tail.strip() else len(tokens)
        return len(tokens)

    def _text(self, messages: list[dict[str, Any]], prompt: bool) -> str:
        return self.tokenizer.apply_chat_template(
            messages, chat_template=self.template, tokenize=False, add_generation_prompt=prompt
        )

    def _tokens(self, text: str) -> list[int]:
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def _end_tokens(self) -> set[int]:
        known = self.tokenizer.get_added_vocab()
        names = {"<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>", "</s>", "<|return|>"}
        ends = {known[name] for name in names if name in known}
        if self.tokenizer.eos_token_id is not None:
            ends.add(self.tokenizer.eos_token_id)
        return ends
