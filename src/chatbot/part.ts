import type { Part } from '../platform/parts/part.ts';

/** The chatbot. So far it has its paths, keys and error shapes, and no endpoints. */
export function openChatbot(): Part {
  return {
    services: [
      {
        name: 'chatbot',
        title: 'Roundhouse chatbot',
        description: 'Questions to bots, their pages, and the documents that answers cite.',
        surfaces: [
          { prefix: '/v.1.0', shape: 'index' },
          { prefix: '/agent', shape: 'index' },
          { prefix: '/documents', shape: 'index' },
        ],
        access: { scope: 'index:read', openable: false },
        routes() {},
      },
    ],
  };
}
