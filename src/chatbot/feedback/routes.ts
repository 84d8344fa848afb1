import { Readable } from 'node:stream';
import { z } from 'zod';
import { BotPath } from '../../contracts/document-index/bots.ts';
import { Feedback, FeedbackList, FeedbackQuery } from '../../contracts/document-index/feedback.ts';
import { attachment } from '../../platform/http/requests/attachment.ts';
import type { App } from '../../platform/http/service.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { requireModel } from '../../platform/metering/allowed-models.ts';
import type { Readers } from '../admission/readers.ts';
import type { Bots } from '../bots.ts';
import { exportLine } from './export-feedback.ts';
import { allFeedback, listFeedback } from './list-feedback.ts';
import { type FeedbackDependencies, rateAnswer } from './rate-answer.ts';

const tags = ['feedback'];
const path = '/v.1.0/:bot_id/feedback';

export interface FeedbackRouteDependencies extends FeedbackDependencies {
  bots: Pick<Bots, 'get'>;
  readers: Readers;
}

export function addFeedbackRoutes(app: App, deps: FeedbackRouteDependencies): void {
  app.post(
    path,
    {
      config: { access: 'public' },
      onRequest: deps.readers.onRequest,
      schema: {
        tags,
        summary: 'Rate an answer',
        description: 'A second rating replaces the first. Needs the same access as the question.',
        params: BotPath,
        body: Feedback,
        response: { 200: z.object({ answer_id: z.string(), rating: z.number() }) },
      },
    },
    async (request) => {
      const { bot_id } = request.params;
      return rateAnswer(deps, bot_id, request.body);
    },
  );

  app.get(
    path,
    {
      config: { access: { scope: 'index', openable: false } },
      schema: {
        tags,
        summary: 'List or export the ratings of a bot’s answers',
        params: BotPath,
        querystring: FeedbackQuery,
        produces: ['application/json', 'application/jsonl'],
        response: { 200: FeedbackList },
      },
    },
    async (request, reply) => {
      const { bot_id } = request.params;
      const { format, limit, before } = request.query;
      requireModel(request.caller, botPrefix + bot_id);
      await deps.bots.get(bot_id);
      if (format === 'json') return listFeedback(deps, bot_id, { limit, before });
      reply.type('application/jsonl').header('content-disposition', attachment(`${bot_id}-${format}.jsonl`));
      return reply.send(Readable.from(exported(deps, bot_id, format)) as never);
    },
  );
}

async function* exported(deps: FeedbackDependencies, bot: string, format: 'messages' | 'questions') {
  for await (const entry of allFeedback(deps, bot)) {
    const line = exportLine(entry, format);
    if (line !== undefined) yield line;
  }
}
