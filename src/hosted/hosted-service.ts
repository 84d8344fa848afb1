import type { Service } from '../platform/http/service.ts';

/** The hosted API: its door, keys and error shapes. No endpoint is behind it yet. */
export function hostedService(): Service {
  return {
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
  };
}
