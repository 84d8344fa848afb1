import type { z } from 'zod';
import type { InferencePath } from '../../contracts/inference-endpoints.ts';
import type { FixedSlot } from '../../contracts/management/deployments.ts';
import { ModelResponse } from '../../contracts/openai/models.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { App, Service } from '../../platform/http/service.ts';
import type { InferenceFront } from '../../platform/inference/inference-front.ts';
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

/** Without `bots`, they are not models here. */
export type ListedModels = Pick<InferenceFront, 'models'> & Partial<Pick<InferenceFront, 'bots'>>;

/** `GET /v1/models` below a slot: the base and adapters that are available now. */
export function addSlotModelsRoute(
  app: App,
  prefix: string,
  namesOf: (params: unknown) => string[],
  { models, bots }: ListedModels,
  params?: z.ZodObject,
): void {
  const deployed = async (given: unknown, caller: Caller) => {
    const deployedNames = namesOf(given);
    const { data } = await models();
    const here = data.filter((model) =>
      deployedNames.includes(model.alias === true ? (model.parent ?? '') : model.id),
    );
    return [...here, ...((await bots?.(caller)) ?? [])];
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
      return { object: 'list', data: allowedModels(caller, await deployed(given, caller)) };
    },
  );
  addModelRoute(app, prefix, { access }, deployed, params);
}
