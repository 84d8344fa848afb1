import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AnswerEvent, Answering } from '../../contracts/answering.ts';
import { BotPath } from '../../contracts/document-index/bots.ts';
import { BotGreeting } from '../../contracts/document-index/feedback.ts';
import { Answer, Question } from '../../contracts/document-index/questions.ts';
import { BadRequest, InternalFault } from '../../contracts/problems.ts';
import type { App } from '../../platform/http/service.ts';
import type { Metering } from '../../platform/metering/open-metering.ts';
import type { Readers } from '../admission/readers.ts';
import type { Bots } from '../bots.ts';
import { chargeAnswer } from './charge-answer.ts';
import { sendEvents } from './send-events.ts';

export interface QuestionDependencies {
  bots: Pick<Bots, 'get'>;
  answering: Answering;
  metering: Pick<Metering, 'limits' | 'usage'>;
  readers: Readers;
  /** Called when somebody looks at a bot, and will soon ask it something. */
  prepare(): void;
}

const tags = ['questions'];
const path = '/v.1.0/:bot_id';
const config = { access: 'public' } as const;
const LinksQuery = z.strictObject({
  links: z
    .enum(['plain', 'signed'])
    .default('plain')
    .describe('`signed`: browsers can open the cited documents for a while without a key'),
});

export function addQuestionRoutes(app: App, deps: QuestionDependencies): void {
  const { onRequest } = deps.readers;
  app.get(
    path,
    {
      config,
      onRequest,
      schema: { tags, summary: 'Greeting of a bot', params: BotPath, response: { 200: BotGreeting } },
    },
    async (request) => {
      const { bot_id } = request.params;
      const { name, hello_text, example_questions, ready, status, problem, languages } =
        await deps.bots.get(bot_id);
      deps.prepare();
      return { name, hello_text, example_questions, ready, status, problem, languages };
    },
  );

  app.post(
    path,
    {
      config,
      onRequest,
      schema: {
        tags,
        summary: 'Ask a bot',
        description:
          'With `stream: true` or `Accept: text/event-stream`, the answer arrives as server-sent events: `stage` (`searching`, `reading`, `answering`), `delta` with pieces of text, `answer` with the checked answer or `error`, then `done`.',
        params: BotPath,
        querystring: LinksQuery,
        body: Question,
        produces: ['application/json', 'text/event-stream'],
        response: { 200: Answer },
      },
    },
    (request, reply) => ask(deps, request, reply),
  );
}

type AskRequest = FastifyRequest<{
  Params: BotPath;
  Body: Question;
  Querystring: z.infer<typeof LinksQuery>;
}>;

async function ask(deps: QuestionDependencies, request: AskRequest, reply: FastifyReply) {
  const { bot_id: bot } = request.params;
  const { stream, ...input } = request.body;
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new BadRequest('the client left before the answer')));
  const options = { signal: gone.signal, requestId: request.id, keep: true, links: request.query.links };
  const events = chargeAnswer({ metering: deps.metering, caller: request.caller, bot, input }, () =>
    deps.answering.answer(bot, input, options),
  );
  if (!stream && !request.headers.accept?.includes('text/event-stream')) return wholeAnswer(events);
  // A refusal that comes before the first event has its own status.
  const first = await events.next();
  if (first.done) throw new InternalFault('the answer has no events');
  reply.hijack();
  await sendEvents(first.value, events, {
    response: reply.raw,
    headers: { 'x-request-id': request.id },
    onFault: (error) => request.log.error({ err: error }, 'an answer failed'),
  });
}

async function wholeAnswer(events: AsyncGenerator<AnswerEvent, void>): Promise<Answer> {
  for await (const event of events) if (event.type === 'answer') return event.answer;
  throw new InternalFault('the answer has no end');
}
