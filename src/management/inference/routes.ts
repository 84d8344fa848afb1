import { z } from 'zod';
import { HTTPValidationError, InferenceError, OpenAIError } from '../../contracts/errors.ts';
import { type InferencePath, inferenceEndpoints } from '../../contracts/inference-endpoints.ts';
import type { FixedSlot } from '../../contracts/management/deployments.ts';
import { ModelResponse } from '../../contracts/openai/models.ts';
import type { App, Service } from '../../platform/http/service.ts';
import type { InferenceFront, ServedSurface } from '../../platform/inference/inference-front.ts';
import { addModelRoute } from '../../platform/inference/model-route.ts';
import { allowedModels } from '../../platform/metering/allowed-models.ts';

export const slotPaths: Record<FixedSlot, readonly InferencePath[]> = {
  chat: ['/v1/completions', '/v1/chat/completions'],
  embeddings: ['/v1/embeddings'],
  rerank: ['/v1/rerank'],
};

/** The endpoints of all slots. */
export const deployedPaths: readonly InferencePath[] = Object.values(slotPaths).flat();

/** How errors look at the endpoints below a prefix of the management API. */
export const inferenceShapes = (prefix: string, paths: readonly InferencePath[]): Service['surfaces'] =>
  paths.map((path) => ({ prefix: prefix + path, shape: 'management-inference' }));

const access = { scope: 'inference', openable: true } as const;
const tags = ['inference'];

/**
 * The dispatcher's front handles these requests if there is one. The routes document them, and serve them otherwise.
 * `surfaceOf` finds the surface by the parameters of the path.
 */
export async function addInferenceRoutes(
  app: App,
  prefix: string,
  paths: readonly InferencePath[],
  surfaceOf: (params: unknown) => ServedSurface,
  params?: z.ZodObject,
): Promise<void> {
  const refusal = prefix.startsWith('/api')
    ? { 422: HTTPValidationError, 503: InferenceError }
    : { 503: OpenAIError };
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    for (const { path, schema: body, summary } of inferenceEndpoints) {
      if (!paths.includes(path)) continue;
      const response = { 200: z.unknown().describe("The model's answer"), ...refusal };
      (scope as App).post(
        `${prefix}${path}/`,
        {
          config: { access },
          schema: { tags, summary, body, response, ...(params ? { params } : {}) },
          validatorCompiler: () => () => true,
        },
        (request, reply) => {
          const surface = surfaceOf(request.params);
          reply.hijack();
          surface.answer(request.raw, reply.raw, path, request.caller);
        },
      );
    }
  });
}

/** `GET /v1/models` below a slot: the base and adapters that are available now. */
export function addSlotModelsRoute(
  app: App,
  prefix: string,
  namesOf: (params: unknown) => string[],
  { models }: Pick<InferenceFront, 'models'>,
  params?: z.ZodObject,
): void {
  const deployed = async (given: unknown) => {
    const deployedNames = namesOf(given);
    const { data } = await models();
    return data.filter((model) =>
      deployedNames.includes(model.alias === true ? (model.parent ?? '') : model.id),
    );
  };
  app.get(
    `${prefix}/v1/models`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List the deployed models',
        ...(params ? { params } : {}),
        response: { 200: ModelResponse },
      },
    },
    async ({ caller, params: given }) => {
      return { object: 'list', data: allowedModels(caller, await deployed(given)) };
    },
  );
  addModelRoute(app, prefix, { access }, deployed, params);
}
