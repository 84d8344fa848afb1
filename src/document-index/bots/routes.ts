import {
  BotChange,
  BotPath,
  BotRecord,
  BotRecords,
  RegressionQuestions,
} from '../../contracts/document-index/bots.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { mayUseModel } from '../../platform/metering/allowed-models.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { changeBot } from './change-bot.ts';
import { changeQuestions, readQuestions } from './change-questions.ts';
import { readBot, readBots } from './read-bots.ts';

const tags = ['bots'];
const reading = { access: { scope: 'index:read', openable: false } } as const;

export function addBotRoutes(app: App, deps: IndexDependencies): void {
  app.get(
    '/indexapi/bots',
    { config: reading, schema: { tags, summary: 'List bots', response: { 200: BotRecords } } },
    async ({ caller }) =>
      Object.fromEntries(
        (await readBots(deps))
          .filter(({ record }) => mayUseModel(caller, botPrefix + record.name))
          .map(({ record }) => [record.name, record]),
      ),
  );

  app.get(
    '/indexapi/bot/:bot_id',
    {
      config: reading,
      schema: { tags, summary: 'Read a bot', params: BotPath, response: { 200: BotRecord } },
    },
    async (request) => (await readBot(deps, request.params.bot_id)).record,
  );

  app.patch(
    '/indexapi/bot/:bot_id',
    {
      schema: {
        tags,
        summary: 'Change the settings of a bot',
        params: BotPath,
        body: BotChange,
        response: { 200: BotRecord },
      },
    },
    (request) => changeBot(deps, actorOf(request), { bot: request.params.bot_id, change: request.body }),
  );

  app.get(
    '/indexapi/bot/:bot_id/questions',
    {
      config: reading,
      schema: {
        tags,
        summary: 'Read the regression questions of a bot',
        params: BotPath,
        response: { 200: RegressionQuestions },
      },
    },
    (request) => readQuestions(deps, request.params.bot_id),
  );

  app.put(
    '/indexapi/bot/:bot_id/questions',
    {
      schema: {
        tags,
        summary: 'Replace the regression questions of a bot',
        description: 'They are put after every change; the result of the command says what got worse.',
        params: BotPath,
        body: RegressionQuestions,
        response: { 200: RegressionQuestions },
      },
    },
    (request) => changeQuestions(deps, actorOf(request), { bot: request.params.bot_id, ...request.body }),
  );
}
