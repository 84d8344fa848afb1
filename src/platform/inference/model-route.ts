import { z } from 'zod';
import { OpenAIError } from '../../contracts/errors.ts';
import { Model } from '../../contracts/openai/models.ts';
import type { Access } from '../../contracts/surfaces.ts';
import type { Caller } from '../http/access.ts';
import type { App } from '../http/service.ts';
import { allowedModel } from '../metering/allowed-models.ts';

/** `GET <prefix>/v1/models/{id}`. Ids contain slashes: encoded as %2F they are one segment of the path, else several. */
export function addModelRoute(
  app: App,
  prefix: string,
  config: { access: Access },
  models: (params: unknown, caller: Caller) => Promise<Model[]>,
  /** The parameters in the prefix, if any. */
  params: z.ZodObject = z.object({}),
): void {
  app.get(
    `${prefix}/v1/models/:model`,
    {
      config,
      schema: {
        tags: ['inference'],
        summary: 'Describe a model',
        params: params.extend({ model: z.string() }),
        response: { 200: Model, 404: OpenAIError },
      },
    },
    async ({ caller, params: given }) =>
      allowedModel(caller, await models(given, caller), String(given.model)),
  );
  app.get(
    `${prefix}/v1/models/*`,
    { config, schema: { hide: true, params: params.extend({ '*': z.string() }) } },
    async ({ caller, params: given }) =>
      allowedModel(caller, await models(given, caller), String(given['*']).replace(/\/$/, '')),
  );
}
