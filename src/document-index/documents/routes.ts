import { IndexPath } from '../../contracts/document-index/bots.ts';
import { DocumentPath, DocumentStatus, DocumentStatuses } from '../../contracts/document-index/documents.ts';
import type { App } from '../../platform/http/service.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { readDocument, readDocuments } from './read-documents.ts';

const tags = ['documents'];
const reading = { access: { scope: 'index:read', openable: false } } as const;

export function addDocumentRoutes(app: App, deps: IndexDependencies): void {
  app.get(
    '/indexapi/bot/:index_id/documents',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List the documents of a bot',
        description: '404 if the bot does not exist or has no documents.',
        params: IndexPath,
        response: { 200: DocumentStatuses },
      },
    },
    (request) => readDocuments(deps, request.params.index_id),
  );

  app.get(
    '/indexapi/bot/:index_id/document/:doc_name',
    {
      config: reading,
      schema: {
        tags,
        summary: 'Read the status of a document',
        description: '409 if the document could not be processed; the error says why.',
        params: DocumentPath,
        response: { 200: DocumentStatus },
      },
    },
    (request) => readDocument(deps, request.params.index_id, request.params.doc_name),
  );
}
