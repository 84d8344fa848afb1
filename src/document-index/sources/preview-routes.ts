import { PreviewRequest, PreviewResponse } from '../../contracts/document-index/sources.ts';
import { BadRequest } from '../../contracts/problems.ts';
import type { App } from '../../platform/http/service.ts';
import { previewSources } from './preview-sources.ts';
import type { Sources } from './source.ts';

/** Adds `POST /indexapi/preview`. */
export const previewRoutes = (deps: { sources: Pick<Sources, 'list'> }) => (app: App) => {
  app.post(
    '/indexapi/preview',
    {
      schema: {
        tags: ['bots'],
        summary: 'List what sources contain',
        description:
          'What would be indexed, and what is forbidden or unsupported and why. Nothing is indexed.',
        body: PreviewRequest,
        response: { 200: PreviewResponse },
      },
    },
    async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort(new BadRequest('the client left before the answer')));
      const { urls } = request.body;
      return previewSources(deps, Array.isArray(urls) ? urls : [urls], gone.signal);
    },
  );
};
