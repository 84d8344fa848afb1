import { ModelResponse } from '../../contracts/openai/models.ts';
import type { App } from '../../platform/http/service.ts';
import type { InferenceFront } from '../../platform/inference/inference-front.ts';
import { listHostedModels } from './list-models.ts';
import type { HostedSurface } from './serve-aliases.ts';

interface ModelsDependencies {
  inference: Pick<InferenceFront, 'models'>;
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
    async ({ caller }) => listHostedModels(await inference.models(), served.aliases(), caller),
  );
}
