import type { ChatChoice, ChatCompletionResponse } from '../../contracts/openai/chat/chat-response.ts';
import type { TokenLogprob } from '../engine.ts';
import { type AnswerHead, toolCallId } from './answer-head.ts';
import { chatLogprobs } from './logprob-shapes.ts';
import { type IndexedEvent, UsageSum } from './run-generations.ts';

/** Collects the events of `n` generations into one complete response. */
export async function wholeChatAnswer(
  head: AnswerHead,
  n: number,
  events: AsyncIterable<IndexedEvent>,
): Promise<ChatCompletionResponse> {
  const drafts = Array.from({ length: n }, () => new ChoiceDraft());
  const sum = new UsageSum(n);
  for await (const { index, event } of events) {
    const draft = drafts[index] as ChoiceDraft;
    if (event.kind === 'text') draft.add(event.text, event.logprobs);
    if (event.kind === 'tool-call') draft.calls.push({ name: event.name, arguments: '' });
    if (event.kind === 'tool-arguments') draft.addArguments(event.index, event.text);
    if (event.kind === 'end') {
      draft.end = { reason: event.reason, stopText: event.stopText };
      sum.add(index, event.usage);
    }
  }
  const choices = drafts.map((draft, index) => draft.choice(index));
  return { ...head, object: 'chat.completion', choices, usage: sum.usage };
}

class ChoiceDraft {
  readonly calls: { name: string; arguments: string }[] = [];
  end: { reason: 'stop' | 'length' | 'tool_calls'; stopText?: string | undefined } | undefined;
  #text = '';
  #logprobs: TokenLogprob[] | undefined;

  add(text: string, logprobs: TokenLogprob[] | undefined): void {
    this.#text += text;
    if (!logprobs) return;
    this.#logprobs ??= [];
    this.#logprobs.push(...logprobs);
  }

  addArguments(index: number, text: string): void {
    const call = this.calls[index];
    if (call) call.arguments += text;
  }

  choice(index: number): ChatChoice {
    const calls = this.calls.map((call) => ({ id: toolCallId(), type: 'function' as const, function: call }));
    return {
      index,
      message: {
        role: 'assistant',
        content: this.#text === '' && calls.length > 0 ? null : this.#text,
        refusal: null,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      },
      logprobs: this.#logprobs ? chatLogprobs(this.#logprobs) : null,
      finish_reason: this.end?.reason ?? 'stop',
      stop_reason: this.end?.stopText ?? null,
    };
  }
}
