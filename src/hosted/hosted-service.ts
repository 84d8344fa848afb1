import type { InferencePath } from '../contracts/inference-endpoints.ts';
import type { KeyDependencies } from '../platform/auth/keys/create-key.ts';
import type { Service } from '../platform/http/service.ts';
import type { InferenceFront } from '../platform/inference/inference-front.ts';
import { addInferenceRoutes } from '../platform/inference/inference-routes.ts';
import { addRerankRoutes } from '../platform/inference/rerank/rerank-routes.ts';
import type { InferenceTransport } from '../platform/inference/sending/transport.ts';
import type { AccountDependencies } from './accounts/account-dependencies.ts';
import { addAccountRoutes, addRegistrationRoute } from './accounts/routes.ts';
import { addModelsRoute } from './aliases/routes.ts';
import type { HostedSurface } from './aliases/serve-aliases.ts';
import { addOwnKeyRoutes } from './keys/routes.ts';
import type { LayoutDependencies } from './layout/layout-dependencies.ts';
import { addLayoutRoutes } from './layout/routes.ts';
import { addOwnUsageRoute } from './usage/routes.ts';

export interface HostedDependencies extends AccountDependencies, Pick<KeyDependencies, 'database' | 'clock'> {
  inference: Pick<InferenceFront, 'models' | 'bots'>;
  served: HostedSurface;
  /** How requests reach a dispatcher in this process. */
  transport?: InferenceTransport | undefined;
  /** Absent where a test needs no documents. */
  layout?: LayoutDependencies;
}

const access = { scope: 'inference', openable: false } as const;
const hostedPaths: readonly InferencePath[] = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/rerank',
];

/** The hosted API: everything below `/hosted`, and the accounts that administrators decide about. */
export function hostedService(deps: HostedDependencies): Service {
  return {
    name: 'hosted',
    title: 'Roundhouse hosted API',
    description: 'Chat, embeddings, reranking and document layout for holders of a key.',
    docs: '/hosted/docs',
    surfaces: [
      { prefix: '/hosted', shape: 'openai' },
      { prefix: '/hosted/v1/layout', shape: 'layout' },
      { prefix: '/hosted/general', shape: 'layout' },
      { prefix: '/general', shape: 'layout' },
      { prefix: '/api/v1/accounts', shape: 'management' },
    ],
    access,
    async routes(app) {
      addRegistrationRoute(app, deps);
      addAccountRoutes(app, deps);
      addOwnKeyRoutes(app, deps);
      addOwnUsageRoute(app, deps);
      addModelsRoute(app, deps);
      if (deps.transport) addRerankRoutes(app, rerankOptions(deps.transport, deps.served));
      if (deps.layout) await addLayoutRoutes(app, deps.layout);
      await addInferenceRoutes(app, '/hosted', hostedPaths, () => deps.served.surface, { access });
    },
  };
}

function rerankOptions(transport: InferenceTransport, { aliases }: HostedSurface) {
  const defaultModel = () => (aliases().has('Service-ReRank') ? 'Service-ReRank' : undefined);
  return { transport, defaultModel, prefix: '/hosted' };
}
