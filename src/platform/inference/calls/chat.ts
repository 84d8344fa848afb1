import { z } from 'zod';
import type { ChatMessage } from '../../../contracts/openai/chat/chat-messages.ts';
import type { ResponseFormat } from '../../../contracts/openai/chat/response-format.ts';
import type { ChatTool, ToolChoice } from '../../../contracts/openai/chat/tools.ts';
import { UpstreamFailed } from '../../../contracts/problems.ts';
import type { CallOptions } from '../sending/call-options.ts';
import { problemInEvent } from '../sending/read-problem.ts';
import { noRetries, policyOf, withRetries } from '../sending/retries.ts';
import { jsonRequest, readJson, type Sender, sendRequest } from '../sending/send-request.ts';
import { cutOff } from '../sending/transport-problems.ts';
import { readEvents } from '../streams/read-events.ts';
import type { Sampling } from './sampling.ts';
import { type TokenUsage, usageField } from './usage.ts';

/** A message that is plain text; most are. */
export interface PlainMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatInput extends Sampling {
  messages: readonly (PlainMessage | ChatMessage)[];
  max_completion_tokens?: number;
  tools?: readonly ChatTool[];
  tool_choice?: ToolChoice;
  parallel_tool_calls?: boolean;
  response_format?: ResponseFormat;
}

/** A piece of an answer. `choice` is 0 unless several answers were asked for. */
export type ChatEvent =
  | { type: 'text'; choice: number; text: string }
  | { type: 'reasoning'; choice: number; text: string }
  | { type: 'tool_call'; choice: number; call: number; id?: string; name?: string; arguments: string }
  | { type: 'finish'; choice: number; reason: string }
  | { type: 'usage'; usage: TokenUsage };

const text = z.string().nullish().catch(undefined);
const toolCall = z.looseObject({
  index: z.number().catch(0),
  id: text,
  function: z.looseObject({ name: text, arguments: text }).nullish(),
});
const choice = z.looseObject({
  index: z.number().catch(0),
  delta: z
    .looseObject({
      content: text,
      reasoning: text,
      reasoning_content: text,
      tool_calls: z.array(toolCall).nullish(),
    })
    .nullish(),
  finish_reason: text,
});
const Chunk = z.looseObject({
  choices: z.array(choice).nullish(),
  usage: usageField,
  error: z.unknown().optional(),
});

/** Streams an answer. It returns only once the answer is whole; an answer that is cut off throws. */
export async function* chat(
  sender: Sender,
  input: ChatInput,
  options: CallOptions,
): AsyncGenerator<ChatEvent, void> {
  const request = jsonRequest('/v1/chat/completions', {
    ...input,
    stream: true,
    stream_options: { include_usage: true },
  });
  const answer = await withRetries(policyOf(options, noRetries), options.signal, () =>
    sendRequest(sender, request, options),
  );
  let finished = 0;
  let usage: TokenUsage | undefined;
  for await (const { name, data } of readEvents(answer.body)) {
    if (data === '[DONE]') {
      if (usage) yield { type: 'usage', usage };
      return;
    }
    if (name === 'error') throw problemInEvent(data);
    const chunk = readJson(data, Chunk);
    if (chunk.error != null) throw problemInEvent(data);
    // Some servers repeat the growing usage with every chunk: the last one counts.
    usage = chunk.usage ?? usage;
    for (const event of chunk.choices?.flatMap(eventsOf) ?? []) {
      if (event.type === 'finish') finished++;
      yield event;
    }
  }
  // Not every server says [DONE]; what counts is that each choice has come to its end.
  if (finished < (input.n ?? 1)) throw cutOff();
  if (usage) yield { type: 'usage', usage };
}

function eventsOf({ index, delta, finish_reason }: z.infer<typeof choice>): ChatEvent[] {
  const events: ChatEvent[] = [];
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (reasoning) events.push({ type: 'reasoning', choice: index, text: reasoning });
  if (delta?.content) events.push({ type: 'text', choice: index, text: delta.content });
  for (const { index: call, id, function: called } of delta?.tool_calls ?? []) {
    events.push({
      type: 'tool_call',
      choice: index,
      call,
      ...(id ? { id } : {}),
      ...(called?.name ? { name: called.name } : {}),
      arguments: called?.arguments ?? '',
    });
  }
  if (finish_reason === 'error' || finish_reason === 'abort') {
    throw new UpstreamFailed('the model gave up in the middle of its answer', { code: 'answer_cut_off' });
  }
  if (finish_reason) events.push({ type: 'finish', choice: index, reason: finish_reason });
  return events;
}
