import { BotPath } from '../../../contracts/document-index/bots.ts';
import { BotCreation, BotFilesForm, BotUrlsForm } from '../../../contracts/document-index/creation.ts';
import { actorOf } from '../../../platform/http/requests/actor-of.ts';
import { streamedBody } from '../../../platform/http/requests/streamed-body.ts';
import type { App } from '../../../platform/http/service.ts';
import { receiveDocuments } from '../../documents/receive-documents.ts';
import type { IndexDependencies } from '../../index-dependencies.ts';
import { refuseBusyBot } from '../accept-command.ts';
import { createBot } from '../create-bot.ts';
import { deleteBot } from '../delete-bot.ts';
import { syncBot } from '../sync-bot.ts';
import { accepted, acceptedResponse, formData } from './accepted.ts';

const tags = ['commands'];

/** Commands for whole bots. A busy bot is refused before the files are received, too. */
export function addBotCommandRoutes(app: App, deps: IndexDependencies): void {
  app.put(
    '/indexapi/bot/:bot_id',
    {
      schema: {
        tags,
        summary: 'Create or rebuild a bot from files',
        description: 'An existing bot answers from its old documents until the new ones are complete.',
        params: BotPath,
        consumes: formData,
        body: streamedBody(BotFilesForm),
        response: acceptedResponse,
      },
    },
    async (request, reply) => {
      const { bot_id: bot } = request.params;
      await refuseBusyBot(deps, bot);
      const expected = { bot, field: 'files', fields: BotCreation };
      return accepted(
        reply,
        await receiveDocuments(deps, request, expected, ({ uploads, fields: creation }) =>
          createBot(deps, actorOf(request), { bot, creation, uploads }),
        ),
      );
    },
  );

  app.put(
    '/indexapi/bot/:bot_id/urls',
    {
      schema: {
        tags,
        summary: 'Create or rebuild a bot from links and other sources',
        params: BotPath,
        consumes: formData,
        body: streamedBody(BotUrlsForm),
        response: acceptedResponse,
      },
    },
    async (request, reply) => {
      const { bot_id: bot } = request.params;
      await refuseBusyBot(deps, bot);
      const expected = { bot, fields: BotUrlsForm, repeated: ['urls'] };
      return accepted(
        reply,
        await receiveDocuments(deps, request, expected, ({ fields }) => {
          const { urls: sources, sync_every: syncEvery, ...creation } = fields;
          return createBot(deps, actorOf(request), { bot, creation, sources, syncEvery });
        }),
      );
    },
  );

  app.post(
    '/indexapi/bot/:bot_id/sync',
    {
      schema: {
        tags,
        summary: 'Sync a bot with its sources',
        description:
          'Adds, updates and deletes what has changed at the sources, and only that. A source that cannot be listed deletes nothing.',
        params: BotPath,
        response: acceptedResponse,
      },
    },
    async (request, reply) =>
      accepted(reply, await syncBot(deps, actorOf(request), { bot: request.params.bot_id })),
  );

  app.delete(
    '/indexapi/bot/:bot_id',
    { schema: { tags, summary: 'Delete a bot', params: BotPath, response: acceptedResponse } },
    async (request, reply) => accepted(reply, await deleteBot(deps, actorOf(request), request.params.bot_id)),
  );
}
