import type { Part } from '../platform/parts/part.ts';

/** The document index. So far it has its paths, keys and error shapes, and no endpoints. */
export function openDocumentIndex(): Part {
  return {
    services: [
      {
        name: 'index',
        title: 'Roundhouse document index',
        description: 'Assistants over documents: bots, commands and document status.',
        docs: '/indexapi/docs',
        surfaces: [{ prefix: '/indexapi', shape: 'index' }],
        access: { scope: 'index', openable: false },
        routes() {},
      },
    ],
  };
}
