import { z } from 'zod';
import type { AnswerInput } from '../../contracts/answering.ts';
import { ChatMessage } from '../../contracts/openai/chat/chat-messages.ts';
import { BadRequest, InvalidInput } from '../../contracts/problems.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';
import { withoutSources } from './source-list.ts';

/** The same limits as those of `POST /v.1.0/<bot_id>`. */
const longestQuestion = 32_000;
const longestHistory = 200;

const Chat = z.looseObject({
  messages: z.array(ChatMessage),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

export interface BotChat extends AnswerInput {
  stream: boolean;
  includeUsage: boolean;
}

/** What a bot can't do, by field. Ignoring it would give the caller something else than what was asked for. */
const unsupported: readonly [field: string, isUsed: (value: unknown) => boolean, why: string][] = [
  ['tools', (value) => Array.isArray(value) && value.length > 0, 'a bot calls no tools'],
  ['functions', (value) => Array.isArray(value) && value.length > 0, 'a bot calls no functions'],
  [
    'n',
    (value) => typeof value === 'number' && value > 1,
    'a bot gives one answer: leave n out, or set it to 1',
  ],
  ['logprobs', (value) => value === true, 'a bot has no log probabilities'],
  ['top_logprobs', (value) => typeof value === 'number' && value > 0, 'a bot has no log probabilities'],
  ['response_format', (value) => isOtherFormat(value), 'a bot answers in text'],
  ['audio', (value) => value != null, 'a bot answers in text'],
];

/**
 * The question is the last message, the history those before it. System messages are left out: a bot's instructions are
 * its `user_story`, and text from callers must not take their place.
 */
export function readChat(body: Buffer): BotChat {
  const sent = JSON.parse(body.toString()) as Record<string, unknown>;
  for (const [field, isUsed, why] of unsupported) {
    if (isUsed(sent[field])) throw new BadRequest(why, { code: 'unsupported_parameter', param: field });
  }
  const parsed = Chat.safeParse(sent);
  if (!parsed.success) throw new InvalidInput(toInputIssues(parsed.error.issues, 'body', sent));
  const { messages, stream, stream_options } = parsed.data;
  const turns = messages.flatMap(turnOf);
  const last = turns.pop();
  if (last?.role !== 'user') throw refused('the last message must have the role user: it is the question');
  const question = last.content.trim();
  if (question === '') throw refused('the last message is empty');
  if (question.length > longestQuestion) {
    throw refused(`the question is longer than ${longestQuestion} characters`);
  }
  return {
    question,
    history: turns.slice(-longestHistory),
    stream: stream === true,
    includeUsage: stream_options?.include_usage === true,
  };
}

type Turn = NonNullable<AnswerInput['history']>[number];

function turnOf(message: ChatMessage): Turn[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [];
    case 'user':
      return [{ role: 'user', content: textOf(message.content) }];
    case 'assistant': {
      const content = withoutSources(textOf(message.content ?? '')).trim();
      return content === '' ? [] : [{ role: 'assistant', content }];
    }
    case 'tool':
      throw refused('a bot calls no tools, so it takes no messages with the role tool');
  }
}

function textOf(content: string | readonly { type: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if (part.type === 'text') return (part as unknown as { text: string }).text;
      if (part.type === 'refusal') return '';
      throw refused(`a bot reads text, not ${part.type}`);
    })
    .join('\n');
}

const isOtherFormat = (value: unknown) =>
  typeof value === 'object' && value !== null && (value as { type?: unknown }).type !== 'text';

const refused = (why: string) => new BadRequest(why, { param: 'messages' });
