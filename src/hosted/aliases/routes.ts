import { ModelResponse } from '../../contracts/openai/models.ts';
import type { App } from '../../platform/http/service.ts';
import type { InferenceFront } from '../../platform/inference/inference-front.ts';
import { listHostedModels } from './list-models.ts';
import type { HostedSurface } from './serve-aliases.ts';

interface ModelsDependencies {
  inference: Pick<InferenceFront, 'models' | 'bots'>;
  served: Pick<HostedSurface, 'aliases'>;
}

export function addModelsRoute(app: App, { inference, served }: ModelsDependencies): void {
  app.get(
    '/hosted/v1/models',
    {
      schema: {
        tags: ['inference'],
        summary: 'List the models that this key may use, by their own names and by those of services',
        response: { 200: ModelResponse },
      },
    },
    async ({ caller }) => {
      const [{ object, data }, bots] = await Promise.all([inference.models(), inference.bots(caller)]);
      return listHostedModels({ object, data: [...data, ...bots] }, served.aliases(), caller);
    },
  );
}
