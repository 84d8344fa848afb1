import multipart from '@fastify/multipart';
import type { App, Service } from '../platform/http/service.ts';
import { addBotRoutes } from './bots/routes.ts';
import { addCommandRoutes } from './commands/routes.ts';
import { addDocumentRoutes } from './documents/routes.ts';
import type { IndexDependencies } from './index-dependencies.ts';

/** The document index API, with routes that other folders of the room add. */
export function indexService(deps: IndexDependencies, others: readonly ((app: App) => void)[] = []): Service {
  return {
    name: 'index',
    title: 'Roundhouse document index',
    description: 'Assistants over documents: bots, commands and document status.',
    docs: '/indexapi/docs',
    surfaces: [{ prefix: '/indexapi', shape: 'index' }],
    access: { scope: 'index', openable: false },
    async routes(app) {
      await app.register(async (plain) => {
        const scope = plain as App;
        await scope.register(multipart);
        addBotRoutes(scope, deps);
        addCommandRoutes(scope, deps);
        addDocumentRoutes(scope, deps);
        for (const add of others) add(scope);
      });
    },
  };
}
