import { z } from 'zod';
import { Job } from '../../contracts/management/jobs.ts';
import {
  AddModelQuery,
  FoundModels,
  ImportModelRequest,
  ModelEntry,
  RemoveModelQuery,
  SearchModelsQuery,
} from '../../contracts/management/models.ts';
import { addModel } from '../../models/library/add-model.ts';
import { importModel } from '../../models/library/import-model.ts';
import { describeModel } from '../../models/library/model-record.ts';
import { removeModel } from '../../models/library/remove-model.ts';
import { searchModels } from '../../models/library/search-models.ts';
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
    { schema: { tags, summary: 'List the models on this machine', response: { 200: z.array(ModelEntry) } } },
    async () => (await models.library.list()).map(describeModel),
  );
  app.get(
    '/api/v1/models/search',
    {
      schema: {
        tags,
        summary: 'Search the catalog and the model hub',
        description:
          'Without a connection to the hub, only the catalog is searched, and `hub_error` says why.',
        querystring: SearchModelsQuery,
        response: { 200: FoundModels },
      },
    },
    (request) => searchModels(models, request.query),
  );
  app.post(
    '/api/v1/models/add/',
    {
      schema: {
        tags,
        summary: 'Add a model from the model hub',
        description: 'Returns the job that adds it. While it runs, the same request returns the same job.',
        querystring: AddModelQuery,
        response: { 200: Job },
      },
    },
    async (request) => describeJob(await addModel(models, actorOf(request), request.query)),
  );
  app.post(
    '/api/v1/models/import/',
    {
      // Reads a folder on the server, so it needs a key in open mode too.
      config: { access: { scope: 'admin', openable: false } },
      schema: {
        tags,
        summary: 'Add a model from a folder on this machine',
        body: ImportModelRequest,
        response: { 200: Job },
      },
    },
    async (request) => describeJob(await importModel(models, actorOf(request), request.body)),
  );
  const remove = (request: Parameters<typeof actorOf>[0] & { query: RemoveModelQuery }, id: string) =>
    removeModel(models, actorOf(request), { id, withAdapters: request.query.with_adapters });
  // Ids contain slashes: encoded as %2F they are one segment of the path, otherwise several.
  app.delete(
    '/api/v1/models/:model_id',
    {
      schema: {
        tags,
        summary: 'Delete a model and free its disk space',
        description: 'A base model with adapters is refused with 409 unless `with_adapters` is true.',
        params: z.object({ model_id: z.string() }),
        querystring: RemoveModelQuery,
        response: { 200: ModelEntry },
      },
    },
    (request) => remove(request, request.params.model_id),
  );
  app.delete(
    '/api/v1/models/*',
    { schema: { hide: true, params: z.object({ '*': z.string() }), querystring: RemoveModelQuery } },
    (request) => remove(request, request.params['*'].replace(/\/$/, '')),
  );
}
