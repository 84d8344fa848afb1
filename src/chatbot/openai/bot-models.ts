import { randomUUID } from 'node:crypto';
import type { AnswerEvent, Answering } from '../../contracts/answering.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Answer } from '../../contracts/document-index/questions.ts';
import type { Model } from '../../contracts/openai/models.ts';
import { InternalFault, NotFound } from '../../contracts/problems.ts';
import type { Caller } from '../../platform/http/access.ts';
import {
  type AnsweringModels,
  botPrefix,
  type ModelAnswer,
  type ModelRequest,
} from '../../platform/inference/answering-models.ts';
import { mayReadBot, requireReader, unknownBot } from '../admission/bot-readers.ts';
import type { PublicBots } from '../admission/public-bots.ts';
import type { Bots } from '../bots.ts';
import { type CompletionHead, endEvents, textEvent, wholeCompletion } from './chat-completion.ts';
import { type BotChat, readChat } from './read-chat.ts';

interface BotModelDependencies {
  bots: Pick<Bots, 'get' | 'list'>;
  answering: Answering;
  publicBots: Pick<PublicBots, 'has' | 'any'>;
  clock: Clock;
}

/** Bots as models of the OpenAI API, named `bot/<bot_id>`. */
export function botModels(deps: BotModelDependencies): AnsweringModels {
  const since = Math.floor(deps.clock.now() / 1000);
  return {
    list: (caller) => listBots(deps, caller, since),
    answer: (request) => startAnswer(deps, request),
  };
}

async function listBots(
  { bots, publicBots }: BotModelDependencies,
  caller: Caller,
  created: number,
): Promise<Model[]> {
  if (caller.kind === 'anonymous' && !publicBots.any) return [];
  const readable = (await bots.list()).filter(({ name }) => mayReadBot(publicBots, caller, name));
  return readable.map(({ name, status }) => ({
    id: botPrefix + name,
    object: 'model',
    created,
    owned_by: 'roundhouse',
    root: botPrefix + name,
    parent: null,
    permission: [],
    task: 'bot',
    ...(status && { status }),
  }));
}

async function startAnswer(deps: BotModelDependencies, request: ModelRequest): Promise<ModelAnswer> {
  const { model, caller, signal, requestId } = request;
  const bot = model.slice(botPrefix.length);
  requireReader(deps.publicBots, caller, bot);
  await requireBot(deps, bot);
  const chat = readChat(request.body);
  const { question, history = [] } = chat;
  const events = deps.answering.answer(bot, { question, history }, { signal, requestId, links: 'plain' });
  // Until the first event, a failure can still be told by the status.
  const first = await events.next();
  const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(deps.clock.now() / 1000), model };
  let final: Answer | undefined;
  const watched = watch(first, events, (answer) => {
    final = answer;
  });
  return {
    contentType: chat.stream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8',
    whole: !chat.stream,
    body: chat.stream ? streamed(head, watched, chat) : whole(head, watched),
    usage: () =>
      final && { promptTokens: final.usage.prompt_tokens, completionTokens: final.usage.completion_tokens },
  };
}

async function requireBot({ bots }: BotModelDependencies, bot: string): Promise<void> {
  await bots.get(bot).catch((error: unknown) => {
    throw error instanceof NotFound ? unknownBot(bot) : error;
  });
}

async function* watch(
  first: IteratorResult<AnswerEvent, void>,
  events: AsyncGenerator<AnswerEvent, void>,
  onAnswer: (answer: Answer) => void,
): AsyncGenerator<AnswerEvent> {
  try {
    for (let next = first; !next.done; next = await events.next()) {
      if (next.value.type === 'answer') onAnswer(next.value.answer);
      yield next.value;
    }
  } finally {
    await events.return();
  }
}

async function* whole(head: CompletionHead, events: AsyncIterable<AnswerEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'answer') continue;
    yield wholeCompletion(head, event.answer);
    return;
  }
  throw unanswered();
}

async function* streamed(
  head: CompletionHead,
  events: AsyncIterable<AnswerEvent>,
  { includeUsage }: BotChat,
): AsyncGenerator<string> {
  let hasText = false;
  yield textEvent(head, { role: 'assistant', content: '' });
  for await (const event of events) {
    if (event.type === 'delta' && event.text !== '') {
      hasText = true;
      yield textEvent(head, { content: event.text });
    } else if (event.type === 'answer') {
      // Answers that quote the documents come whole.
      if (!hasText) yield textEvent(head, { content: event.answer.answer });
      yield endEvents(head, event.answer, includeUsage);
      return;
    }
  }
  throw unanswered();
}

const unanswered = () => new InternalFault('the bot ended without an answer');
