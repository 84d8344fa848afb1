import { ModelResponse } from '../contracts/openai/models.ts';
import type { App, Service } from '../platform/http/service.ts';
import { addAdapterRoutes } from './routes/adapter-routes.ts';
import { addGenerationRoutes } from './routes/generation-routes.ts';
import { addTokenizerInfoRoute, addTokenRoutes } from './routes/token-routes.ts';
import { addVectorRoutes } from './routes/vector-routes.ts';
import type { Pod } from './serving/pod.ts';
import { listModels } from './serving/served-model.ts';

/** OpenAI's API for one model that one of our engines runs. */
export function podService(pod: Pod): Service {
  return {
    ...podIdentity(pod),
    routes(app) {
      addModelRoutes(app, pod);
      addGenerationRoutes(app, pod);
      addVectorRoutes(app, pod);
      addAdapterRoutes(app, pod);
      addTokenRoutes(app, pod);
    },
  };
}

/** The part of the service that all engines share. The dispatcher has checked the caller's key, and sends the pod's secret. */
export function podIdentity(pod: Pod): Omit<Service, 'routes'> {
  return {
    name: 'pod',
    title: 'Pod',
    description: 'One model and its adapters, behind the OpenAI API.',
    docs: '/docs',
    surfaces: [{ prefix: '/', shape: 'openai' }],
    access: { scope: 'inference', openable: true },
    ready: () => ({ ready: pod.isLoaded, detail: pod.served.served_model_name }),
  };
}

export function addModelRoutes(app: App, pod: Pod): void {
  addTokenizerInfoRoute(app, pod);
  app.get('/v1/models', { schema: { response: { 200: ModelResponse } } }, () => ({
    object: 'list',
    data: listModels(pod.served, pod.engine, pod.created),
  }));
  app.get('/health', { config: { access: 'public' } }, (_request, reply) => {
    if (!pod.isLoaded) return reply.code(503).send({ status: 'loading' });
    const { running, waiting } = pod.engine.status();
    return reply.send({ status: 'ok', running, waiting });
  });
}
