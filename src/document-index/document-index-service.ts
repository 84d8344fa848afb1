import type { Service } from '../platform/http/service.ts';

/** The document index: its door, keys and error shapes. No endpoint is behind it yet. */
export function documentIndexService(): Service {
  return {
    name: 'index',
    title: 'Roundhouse document index',
    description: 'Assistants over documents: bots, commands and document status.',
    docs: '/indexapi/docs',
    surfaces: [{ prefix: '/indexapi', shape: 'index' }],
    access: { scope: 'index', openable: false },
    routes() {},
  };
}
