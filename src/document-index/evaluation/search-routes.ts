import { BotPath } from '../../contracts/document-index/bots.ts';
import { SearchRequest, SearchResponse } from '../../contracts/document-index/search.ts';
import { IndexError } from '../../contracts/errors.ts';
import type { App } from '../../platform/http/service.ts';
import { type SearchDependencies, searchPassages } from './search-passages.ts';

/** `POST /indexapi/bot/{bot_id}/search`, for holders of a key that may read bots. */
export const searchRoutes =
  (deps: SearchDependencies) =>
  (app: App): void => {
    app.post(
      '/indexapi/bot/:bot_id/search',
      {
        config: { access: { scope: 'index:read', openable: false } },
        schema: {
          tags: ['bots'],
          summary: 'Find the passages that fit a question best',
          description: 'Retrieval without an answer, for tests and for applications that answer themselves.',
          params: BotPath,
          body: SearchRequest,
          response: { 200: SearchResponse, 404: IndexError },
        },
      },
      (request, reply) => {
        const stop = new AbortController();
        reply.raw.on('close', () => stop.abort());
        const { bot_id: bot } = request.params;
        return searchPassages(deps, { bot, ...request.body, signal: stop.signal, requestId: request.id });
      },
    );
  };
