import multipart from '@fastify/multipart';
import type { App, Service } from '../platform/http/service.ts';
import { botPrefix } from '../platform/inference/answering-models.ts';
import { requireModel } from '../platform/metering/allowed-models.ts';
import { addBotRoutes } from './bots/routes.ts';
import { addBotCommandRoutes } from './commands/routes/bot-routes.ts';
import { addDocumentCommandRoutes } from './commands/routes/document-routes.ts';
import { addCommandStatusRoutes } from './commands/routes/status-routes.ts';
import { addDocumentRoutes } from './documents/routes.ts';
import type { IndexDependencies } from './index-dependencies.ts';
import { addSourceRoutes } from './syncing/routes.ts';

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
        // A key that is limited to models has nothing to do with bots that are not among them.
        scope.addHook('onRequest', async ({ caller, params }) => {
          const { bot_id, index_id = bot_id } = params as { bot_id?: string; index_id?: string };
          if (index_id !== undefined) requireModel(caller, botPrefix + index_id);
        });
        addBotRoutes(scope, deps);
        addBotCommandRoutes(scope, deps);
        addDocumentCommandRoutes(scope, deps);
        addCommandStatusRoutes(scope, deps);
        addDocumentRoutes(scope, deps);
        addSourceRoutes(scope, deps);
        for (const add of others) add(scope);
      });
    },
  };
}
