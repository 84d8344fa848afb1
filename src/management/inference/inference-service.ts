import type { Service } from '../../platform/http/service.ts';
import type { SlotDirectory } from '../deployments/slots/slot-directory.ts';
import { addInferenceRoutes, addSlotModelsRoute, type Inference, slotPaths } from './routes.ts';

/** The deployed model by itself, as OpenAI's clients expect it. */
export function inferenceService(deps: { inference: Inference; directory: SlotDirectory }): Service {
  const prefix = '/inference';
  return {
    name: 'inference',
    title: 'Roundhouse inference',
    description: 'The deployed chat model, with its adapters.',
    docs: `${prefix}/docs`,
    surfaces: [{ prefix, shape: 'openai' }],
    access: { scope: 'inference', openable: true },
    async routes(app) {
      addSlotModelsRoute(app, prefix, () => deps.directory.names('chat'), deps.inference);
      await addInferenceRoutes(app, prefix, slotPaths.chat, deps.inference);
    },
  };
}
