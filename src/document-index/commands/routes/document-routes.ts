import { z } from 'zod';
import { BotId, BotPath } from '../../../contracts/document-index/bots.ts';
import { DocumentForm, DocumentUrlForm } from '../../../contracts/document-index/creation.ts';
import { actorOf } from '../../../platform/http/requests/actor-of.ts';
import { streamedBody } from '../../../platform/http/requests/streamed-body.ts';
import type { App } from '../../../platform/http/service.ts';
import { receiveDocuments } from '../../documents/receive-documents.ts';
import type { Upload } from '../../documents/uploads.ts';
import type { IndexDependencies } from '../../index-dependencies.ts';
import { requireBot } from '../../records/find-bot.ts';
import { refuseBusyDocument } from '../accept-command.ts';
import { addDocument, addSource } from '../add-document.ts';
import { deleteDocument } from '../delete-document.ts';
import { accepted, acceptedResponse, formData } from './accepted.ts';

const tags = ['commands'];
const DeletionPath = z.object({ bot_id: BotId, doc_name: z.string().min(1) });

/** Commands for single documents. */
export function addDocumentCommandRoutes(app: App, deps: IndexDependencies): void {
  app.put(
    '/indexapi/bot/:bot_id/document',
    {
      schema: {
        tags,
        summary: 'Add or update a document',
        params: BotPath,
        consumes: formData,
        body: streamedBody(DocumentForm),
        response: acceptedResponse,
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
        consumes: formData,
        body: streamedBody(DocumentUrlForm),
        response: acceptedResponse,
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
    { schema: { tags, summary: 'Delete a document', params: DeletionPath, response: acceptedResponse } },
    async (request, reply) => {
      const { bot_id: bot, doc_name: name } = request.params;
      return accepted(reply, await deleteDocument(deps, actorOf(request), { bot, name }));
    },
  );
}
