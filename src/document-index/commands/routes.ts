import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { BotId, BotPath, IndexPath } from '../../contracts/document-index/bots.ts';
import {
  CommandAccepted,
  CommandList,
  CommandPath,
  CommandStatus,
} from '../../contracts/document-index/commands.ts';
import {
  BotCreation,
  BotFilesForm,
  BotUrlsForm,
  DocumentForm,
  DocumentUrlForm,
} from '../../contracts/document-index/creation.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import { streamedBody } from '../../platform/http/requests/streamed-body.ts';
import type { App } from '../../platform/http/service.ts';
import { receiveDocuments } from '../documents/receive-documents.ts';
import type { Upload } from '../documents/uploads.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { requireBot } from '../records/find-bot.ts';
import { refuseBusyBot, refuseBusyDocument } from './accept-command.ts';
import { addDocument, addSource } from './add-document.ts';
import { cancelCommand } from './cancel-command.ts';
import { createBot } from './create-bot.ts';
import { deleteBot } from './delete-bot.ts';
import { deleteDocument } from './delete-document.ts';
import { readCommand, readCommands } from './read-commands.ts';
import { syncBot } from './sync-bot.ts';

const tags = ['commands'];
const consumes = ['multipart/form-data'];
const response = { 202: CommandAccepted };
const reading = { access: { scope: 'index:read', openable: false } } as const;

const DeletionPath = z.object({ bot_id: BotId, doc_name: z.string().min(1) });

/** The requests that commands come from. What can't be accepted is refused before the files are received, too. */
export function addCommandRoutes(app: App, deps: IndexDependencies): void {
  app.put(
    '/indexapi/bot/:bot_id',
    {
      schema: {
        tags,
        summary: 'Create or rebuild a bot from files',
        description: 'An existing bot answers from its old documents until the new ones are complete.',
        params: BotPath,
        consumes,
        body: streamedBody(BotFilesForm),
        response,
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
        consumes,
        body: streamedBody(BotUrlsForm),
        response,
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
        response,
      },
    },
    async (request, reply) =>
      accepted(reply, await syncBot(deps, actorOf(request), { bot: request.params.bot_id })),
  );

  app.delete(
    '/indexapi/bot/:bot_id',
    { schema: { tags, summary: 'Delete a bot', params: BotPath, response } },
    async (request, reply) => accepted(reply, await deleteBot(deps, actorOf(request), request.params.bot_id)),
  );

  app.put(
    '/indexapi/bot/:bot_id/document',
    {
      schema: {
        tags,
        summary: 'Add or update a document',
        params: BotPath,
        consumes,
        body: streamedBody(DocumentForm),
        response,
      },
    },
    async (request, reply) => {
      const { bot_id: bot } = request.params;
      await requireBot(deps.database, bot);
      await refuseBusyDocument(deps, bot, null);
      const expected = { bot, field: 'file', mostFiles: 1, fields: z.strictObject({}) };
      return accepted(
        reply,
        await receiveDocuments(deps, request, expected, ({ uploads }) =>
          addDocument(deps, actorOf(request), { bot, upload: uploads[0] as Upload }),
        ),
      );
    },
  );

  app.put(
    '/indexapi/bot/:bot_id/document_by_url',
    {
      schema: {
        tags,
        summary: 'Add or update a document from a link or another source',
        params: BotPath,
        consumes,
        body: streamedBody(DocumentUrlForm),
        response,
      },
    },
    async (request, reply) => {
      const { bot_id: bot } = request.params;
      await requireBot(deps.database, bot);
      const expected = { bot, fields: DocumentUrlForm };
      return accepted(
        reply,
        await receiveDocuments(deps, request, expected, ({ fields: { url: source } }) =>
          addSource(deps, actorOf(request), { bot, source }),
        ),
      );
    },
  );

  app.delete(
    '/indexapi/bot/:bot_id/document/:doc_name',
    { schema: { tags, summary: 'Delete a document', params: DeletionPath, response } },
    async (request, reply) => {
      const { bot_id: bot, doc_name: name } = request.params;
      return accepted(reply, await deleteDocument(deps, actorOf(request), { bot, name }));
    },
  );

  app.get(
    '/indexapi/bot/:index_id/commands',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List the active and recently ended commands of a bot',
        params: IndexPath,
        response: { 200: CommandList },
      },
    },
    (request) => readCommands(deps, request.params.index_id),
  );

  app.get(
    '/indexapi/bot/:index_id/command/:command_id',
    {
      config: reading,
      schema: {
        tags,
        summary: 'Follow a command',
        description: 'Commands are kept for a day after their end.',
        params: CommandPath,
        response: { 200: CommandStatus },
      },
    },
    (request) => readCommand(deps, request.params.index_id, request.params.command_id),
  );

  app.delete(
    '/indexapi/bot/:index_id/command/:command_id',
    {
      schema: {
        tags,
        summary: 'Cancel a command',
        description: 'The index is then as before. 409 once the command has changed the index or ended.',
        params: CommandPath,
        response: { 200: CommandStatus },
      },
    },
    (request) => {
      const { index_id: bot, command_id: command } = request.params;
      return cancelCommand(deps, actorOf(request), { bot, command });
    },
  );
}

function accepted(reply: FastifyReply, answer: CommandAccepted): CommandAccepted {
  reply.code(202);
  return answer;
}
