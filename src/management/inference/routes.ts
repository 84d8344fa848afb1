import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { ChatCompletion, Completion, Embeddings, Rerank } from '../../contracts/dispatcher/inference.ts';
import { DetailError, HTTPValidationError, OpenAIError } from '../../contracts/errors.ts';
import type { Slot } from '../../contracts/management/deployments.ts';
import { ModelResponse } from '../../contracts/openai/models.ts';
import type { App } from '../../platform/http/service.ts';
import { allowedModels } from '../../platform/metering/allowed-models.ts';

/** What management asks of the dispatcher, to answer requests for models. */
export interface Inference {
  /** Takes a request of one of the surfaces that the dispatcher was told of, for this path there, and answers it. */
  forward(request: IncomingMessage, response: ServerResponse, path: string): void;
  models(): ModelResponse;
}

const endpoints = {
  '/v1/completions': { schema: Completion, summary: 'Complete a text' },
  '/v1/chat/completions': { schema: ChatCompletion, summary: 'Answer a conversation' },
  '/v1/embeddings': { schema: Embeddings, summary: 'Embed texts' },
  '/v1/rerank': { schema: Rerank, summary: 'Order documents by how well they fit a query' },
} as const;
export type InferencePath = keyof typeof endpoints;
export const inferencePaths = Object.keys(endpoints) as InferencePath[];

export const slotPaths: Record<Slot, InferencePath[]> = {
  chat: ['/v1/completions', '/v1/chat/completions'],
  embeddings: ['/v1/embeddings'],
  rerank: ['/v1/rerank'],
};

const access = { scope: 'inference', openable: true } as const;
const tags = ['inference'];

/** The dispatcher takes these from the socket where it can; the routes describe them, and hand over what comes here. */
export async function addInferenceRoutes(
  app: App,
  prefix: string,
  paths: readonly InferencePath[],
  { forward }: Inference,
): Promise<void> {
  const refusal = prefix.startsWith('/api')
    ? { 422: HTTPValidationError, 503: DetailError }
    : { 503: OpenAIError };
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    for (const path of paths) {
      const { schema: body, summary } = endpoints[path];
      const response = { 200: z.unknown().describe("The model's answer"), ...refusal };
      (scope as App).post(
        `${prefix}${path}/`,
        {
          config: { access },
          schema: { tags, summary, body, response },
          validatorCompiler: () => () => true,
        },
        (request, reply) => {
          reply.hijack();
          forward(request.raw, reply.raw, `${prefix}${path}/`);
        },
      );
    }
  });
}

/** `GET /v1/models` below a slot: its base and adapters, as far as they can be asked now. */
export function addSlotModelsRoute(
  app: App,
  prefix: string,
  names: () => string[],
  { models }: Inference,
): void {
  app.get(
    `${prefix}/v1/models`,
    {
      config: { access },
      schema: { tags, summary: 'What is deployed here', response: { 200: ModelResponse } },
    },
    ({ caller }) => {
      const { object, data } = models();
      const deployed = names();
      return { object, data: allowedModels(caller, data).filter(({ id }) => deployed.includes(id)) };
    },
  );
}
