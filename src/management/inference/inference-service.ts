import type { Service } from '../../platform/http/service.ts';
import type { InferenceFront, ServedSurface } from '../../platform/inference/inference-front.ts';
import { addInferenceRoutes } from '../../platform/inference/inference-routes.ts';
import { addSlotModelsRoute, slotPaths } from './routes.ts';

interface InferenceServiceDependencies {
  /** The names of the deployed chat model and its adapters. */
  names(): string[];
  front: Pick<InferenceFront, 'models' | 'bots'>;
  surface: ServedSurface;
}

/** The deployed chat model behind an OpenAI-compatible API. */
export function inferenceService({ names, front, surface }: InferenceServiceDependencies): Service {
  const prefix = '/inference';
  return {
    name: 'inference',
    title: 'Roundhouse inference',
    description: 'The deployed chat model, with its adapters.',
    docs: `${prefix}/docs`,
    surfaces: [{ prefix, shape: 'openai' }],
    access: { scope: 'inference', openable: true },
    async routes(app) {
      addSlotModelsRoute(app, prefix, names, front);
      await addInferenceRoutes(app, prefix, slotPaths.chat, () => surface);
    },
  };
}
