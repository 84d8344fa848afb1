import { z } from 'zod';
import { Job } from '../../contracts/management/jobs.ts';
import { AddModelQuery, ImportModelRequest, ModelEntry } from '../../contracts/management/models.ts';
import { addModel } from '../../models/library/add-model.ts';
import { importModel } from '../../models/library/import-model.ts';
import { describeModel } from '../../models/library/model-record.ts';
import { removeModel } from '../../models/library/remove-model.ts';
import type { Models } from '../../models/open-models.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import { describeJob } from '../jobs/describe-job.ts';

export interface ModelRoutesDependencies {
  models: Models['changes'];
}

const tags = ['models'];

export function addModelRoutes(app: App, { models }: ModelRoutesDependencies): void {
  app.get(
    '/api/v1/models/',
    { schema: { tags, summary: 'Models that are here', response: { 200: z.array(ModelEntry) } } },
    async () => (await models.library.list()).map(describeModel),
  );
  app.post(
    '/api/v1/models/add/',
    {
      schema: {
        tags,
        summary: 'Bring a model here from the model hub',
        description: 'The answer is the job that does it. While it runs, asking again returns it.',
        querystring: AddModelQuery,
        response: { 200: Job },
      },
    },
    async (request) => describeJob(await addModel(models, actorOf(request), request.query)),
  );
  app.post(
    '/api/v1/models/import/',
    {
      // It reads a folder of the server's machine, so open mode does not open it.
      config: { access: { scope: 'admin', openable: false } },
      schema: {
        tags,
        summary: 'Bring a model here from a folder of this machine',
        body: ImportModelRequest,
        response: { 200: Job },
      },
    },
    async (request) => describeJob(await importModel(models, actorOf(request), request.body)),
  );
  // Ids hold slashes: as %2F they are one segment of the path, and as they are several.
  app.delete(
    '/api/v1/models/:model_id',
    {
      schema: {
        tags,
        summary: 'Delete a model and free its disk space',
        params: z.object({ model_id: z.string() }),
        response: { 200: ModelEntry },
      },
    },
    (request) => removeModel(models, actorOf(request), request.params.model_id),
  );
  app.delete(
    '/api/v1/models/*',
    { schema: { hide: true, params: z.object({ '*': z.string() }) } },
    (request) => removeModel(models, actorOf(request), request.params['*'].replace(/\/$/, '')),
  );
}
