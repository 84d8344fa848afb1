import { BotSourcePath, BotSources, SourceRemoval } from '../../contracts/document-index/bot-sources.ts';
import { BotPath } from '../../contracts/document-index/bots.ts';
import { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { readSources } from './read-sources.ts';
import { removeSource } from './remove-source.ts';

const tags = ['sources'];
const reading = { access: { scope: 'index:read', openable: false } } as const;

export function addSourceRoutes(app: App, deps: IndexDependencies): void {
  app.get(
    '/indexapi/bot/:bot_id/sources',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List the sources of a bot',
        description: 'With the result of the last sync of each. Credentials are not shown.',
        params: BotPath,
        response: { 200: BotSources },
      },
    },
    (request) => readSources(deps, request.params.bot_id),
  );

  app.delete(
    '/indexapi/bot/:bot_id/sources/:source_id',
    {
      schema: {
        tags,
        summary: 'Remove a source of a bot',
        description: 'Its documents are deleted, unless `keep_documents` is set, and it is no longer synced.',
        params: BotSourcePath,
        querystring: SourceRemoval,
        response: { 202: CommandAccepted },
      },
    },
    async (request, reply) => {
      const { bot_id: bot, source_id: source } = request.params;
      const keep = request.query.keep_documents;
      reply.code(202);
      return removeSource(deps, actorOf(request), { bot, source, keep });
    },
  );
}
