import type { TokenLogprob } from '../engine.ts';
import { type AnswerHead, toolCallId } from './answer-head.ts';
import { chatLogprobs } from './logprob-shapes.ts';
import { type IndexedEvent, UsageSum } from './run-generations.ts';

/** Converts the events of `n` generations into OpenAI chunks, each the JSON text of one server-sent event. */
export async function* chatChunks(
  head: AnswerHead,
  n: number,
  includeUsage: boolean,
  events: AsyncIterable<IndexedEvent>,
): AsyncGenerator<string> {
  // Serialised once, so that each token costs little more than its own text.
  const { id, created, model, system_fingerprint } = head;
  const fields = JSON.stringify({ id, object: 'chat.completion.chunk', created, model, system_fingerprint });
  const opening = `${fields.slice(0, -1)},"choices":[`;
  const closing = includeUsage ? '],"usage":null}' : ']}';
  const chunk = (index: number, delta: string, logprobs: string, more = '"finish_reason":null') =>
    `${opening}{"index":${index},"delta":${delta},"logprobs":${logprobs},${more}}${closing}`;

  const sum = new UsageSum(n);
  const held = new HeldLogprobs();
  for await (const { index, event } of events) {
    switch (event.kind) {
      case 'prompt':
        yield chunk(index, '{"role":"assistant","content":""}', 'null');
        break;
      case 'text':
        held.add(index, event.logprobs);
        // Some clients treat empty chunks as errors. Held log-probabilities are sent with the next text.
        if (event.text !== '')
          yield chunk(index, `{"content":${JSON.stringify(event.text)}}`, held.take(index));
        break;
      case 'tool-call': {
        const call = {
          index: event.index,
          id: toolCallId(),
          type: 'function',
          function: { name: event.name, arguments: '' },
        };
        yield chunk(index, JSON.stringify({ tool_calls: [call] }), 'null');
        break;
      }
      case 'tool-arguments': {
        const call = { index: event.index, function: { arguments: event.text } };
        yield chunk(index, JSON.stringify({ tool_calls: [call] }), 'null');
        break;
      }
      case 'end': {
        sum.add(index, event.usage);
        const reasons = `"finish_reason":"${event.reason}","stop_reason":${JSON.stringify(event.stopText ?? null)}`;
        yield chunk(index, '{}', held.take(index), reasons);
        break;
      }
    }
  }
  if (includeUsage) yield `${opening}],"usage":${JSON.stringify(sum.usage)}}`;
}

/** Log-probabilities of tokens whose text has not been sent yet. */
class HeldLogprobs {
  readonly #held = new Map<number, TokenLogprob[]>();

  add(index: number, logprobs: TokenLogprob[] | undefined): void {
    if (logprobs) this.#held.set(index, [...(this.#held.get(index) ?? []), ...logprobs]);
  }

  take(index: number): string {
    const tokens = this.#held.get(index);
    this.#held.delete(index);
    return tokens?.length ? JSON.stringify(chatLogprobs(tokens)) : 'null';
  }
}
