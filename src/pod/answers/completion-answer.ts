import type { CompletionResponse } from '../../contracts/openai/completions.ts';
import type { TokenLogprob } from '../engine.ts';
import type { AnswerHead } from './answer-head.ts';
import { completionLogprobs } from './logprob-shapes.ts';
import { type IndexedEvent, UsageSum } from './run-generations.ts';

export interface CompletionShape {
  head: AnswerHead;
  /** Completions per prompt. */
  n: number;
  /** The text of each prompt, if the response should begin with it. */
  echo: string[] | undefined;
  choices: number;
  includeUsage: boolean;
}

type Piece = {
  index: number;
  text: string;
  logprobs: ReturnType<typeof completionLogprobs> | null;
  finish_reason: 'stop' | 'length' | null;
  stop_reason: string | null;
};

/** Yields the pieces of all choices as they arrive. Joined, they form the complete response. */
async function* pieces(
  shape: CompletionShape,
  events: AsyncIterable<IndexedEvent>,
  sum: UsageSum,
): AsyncGenerator<Piece> {
  const length = new Array<number>(shape.choices).fill(0);
  const held = new Map<number, TokenLogprob[]>();
  const piece = (
    index: number,
    text: string,
    end?: { reason: string; stopText?: string | undefined },
  ): Piece => {
    const tokens = held.get(index);
    const from = length[index] ?? 0;
    length[index] = from + text.length;
    held.delete(index);
    return {
      index,
      text,
      logprobs: tokens?.length ? completionLogprobs(tokens, from) : null,
      finish_reason: end === undefined ? null : end.reason === 'length' ? 'length' : 'stop',
      stop_reason: end?.stopText ?? null,
    };
  };
  const hold = (index: number, tokens: TokenLogprob[] | undefined) =>
    tokens && held.set(index, [...(held.get(index) ?? []), ...tokens]);

  for await (const { index, event } of events) {
    if (event.kind === 'prompt') {
      const echoed = shape.echo?.[Math.floor(index / shape.n)];
      if (echoed !== undefined) {
        hold(index, event.logprobs);
        yield piece(index, echoed);
      }
    }
    if (event.kind === 'text') {
      hold(index, event.logprobs);
      if (event.text !== '') yield piece(index, event.text);
    }
    if (event.kind === 'end') {
      sum.add(index, event.usage);
      yield piece(index, '', event);
    }
  }
}

export async function wholeCompletion(
  shape: CompletionShape,
  events: AsyncIterable<IndexedEvent>,
): Promise<CompletionResponse> {
  const sum = new UsageSum(shape.n);
  const choices: Piece[] = Array.from({ length: shape.choices }, (_, index) => ({
    index,
    text: '',
    logprobs: null,
    finish_reason: null,
    stop_reason: null,
  }));
  for await (const piece of pieces(shape, events, sum)) {
    const choice = choices[piece.index] as Piece;
    choice.text += piece.text;
    choice.logprobs = joined(choice.logprobs, piece.logprobs);
    choice.finish_reason = piece.finish_reason;
    choice.stop_reason = piece.stop_reason;
  }
  return { ...shape.head, object: 'text_completion', choices, usage: sum.usage };
}

/** Yields each piece as the JSON text of one server-sent event. */
export async function* completionChunks(
  shape: CompletionShape,
  events: AsyncIterable<IndexedEvent>,
): AsyncGenerator<string> {
  const { id, created, model, system_fingerprint } = shape.head;
  const fields = JSON.stringify({ id, object: 'text_completion', created, model, system_fingerprint }).slice(
    0,
    -1,
  );
  const closing = shape.includeUsage ? '],"usage":null}' : ']}';
  const sum = new UsageSum(shape.n);
  for await (const piece of pieces(shape, events, sum)) {
    yield `${fields},"choices":[${JSON.stringify(piece)}${closing}`;
  }
  if (shape.includeUsage) yield `${fields},"choices":[],"usage":${JSON.stringify(sum.usage)}}`;
}

/** Appends to `first` in place, because copying it for each token would take quadratic time. */
function joined(first: Piece['logprobs'], second: Piece['logprobs']): Piece['logprobs'] {
  if (!first || !second) return first ?? second;
  first.tokens.push(...second.tokens);
  first.token_logprobs.push(...second.token_logprobs);
  first.top_logprobs?.push(...(second.top_logprobs ?? []));
  first.text_offset.push(...second.text_offset);
  return first;
}
