import type { Part } from '../platform/parts/part.ts';

/** The hosted API. So far it has its paths, keys and error shapes, and no endpoints. */
export function openHosted(): Part {
  return {
    services: [
      {
        name: 'hosted',
        title: 'Roundhouse hosted API',
        description: 'Chat, embeddings, reranking and document layout for holders of a key.',
        docs: '/hosted/docs',
        surfaces: [
          { prefix: '/hosted', shape: 'openai' },
          { prefix: '/hosted/v1/layout', shape: 'layout' },
          { prefix: '/hosted/general', shape: 'layout' },
        ],
        access: { scope: 'inference', openable: false },
        routes() {},
      },
    ],
  };
}
