import { z } from 'zod';
import { StoredDocument } from '../../contracts/document-index/feedback.ts';
import { PayloadTooLarge } from '../../contracts/problems.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import type { Readers } from '../admission/readers.ts';
import { documentPath, uploadName } from './document-path.ts';
import type { LinkSigner } from './link-signer.ts';
import { type OpenDependencies, openDocument } from './open-document.ts';
import { sendDocument } from './send-document.ts';
import { removeDocument, type StoreDependencies, storeDocument } from './store-document.ts';

export interface FileDependencies {
  open: OpenDependencies;
  store: StoreDependencies;
  readers: Readers;
  signer: LinkSigner;
}

const tags = ['documents'];
const path = '/documents/*';
const writing = { access: { scope: 'index', openable: false } } as const;

export async function addFileRoutes(
  app: App,
  { open, store, readers, signer }: FileDependencies,
): Promise<void> {
  app.get(
    path,
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Read a stored file, or a document of a bot',
        description:
          '`/documents/<filename>` is an uploaded file, `/documents/<bot_id>/<name>` a document that a bot has indexed. Needs a key with the scope `index:read`, a signed address, or a public bot. Ranges and conditional requests are supported.',
        produces: ['application/octet-stream'],
      },
    },
    async (request, reply) => {
      const wanted = documentPath(request.url);
      const isSigned = signer.verify(wanted.path, request.query as Record<string, unknown>);
      if (!isSigned) readers.admit(request, wanted.bot, { counted: false });
      return sendDocument(request, reply, wanted.name, await openDocument(open, wanted));
    },
  );

  await app.register(async (plain) => {
    const scope = plain as App;
    // A file of any type is taken as it comes, JSON too.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.put(
      path,
      {
        config: writing,
        schema: {
          tags,
          summary: 'Store a file, or replace it',
          description: 'The body is the file itself, of any content type.',
          response: { 200: StoredDocument },
        },
      },
      async (request) => {
        const name = uploadName(documentPath(request.url));
        if (Number(request.headers['content-length']) > store.maxSize)
          throw new PayloadTooLarge(`a document may have at most ${store.maxSize} bytes`);
        // Not destroyed when it is too long: a client that still sends would not see the answer.
        const content = request.raw.iterator({ destroyOnReturn: false });
        const upload = { name, content };
        return storeDocument(store, actorOf(request), upload).catch((error: unknown) => {
          request.raw.resume();
          throw error;
        });
      },
    );
  });

  app.delete(
    path,
    {
      config: writing,
      schema: { tags, summary: 'Remove a stored file', response: { 204: z.null() } },
    },
    async (request, reply) => {
      await removeDocument(store, actorOf(request), uploadName(documentPath(request.url)));
      return reply.code(204).send(null);
    },
  );
}
