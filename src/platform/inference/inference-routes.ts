import { z } from 'zod';
import { HTTPValidationError, InferenceError, OpenAIError } from '../../contracts/errors.ts';
import { type InferencePath, inferenceEndpoints } from '../../contracts/inference-endpoints.ts';
import type { Access } from '../../contracts/surfaces.ts';
import type { App } from '../http/service.ts';
import type { ServedSurface } from './inference-front.ts';

const openable = { scope: 'inference', openable: true } as const;
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
  { access = openable, params }: { access?: Access; params?: z.ZodObject } = {},
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
