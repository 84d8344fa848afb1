import multipart from '@fastify/multipart';
import type { Service } from '../platform/http/service.ts';
import { addAuditRoutes } from './audit/routes.ts';
import type { DatasetDependencies } from './datasets/dataset-record.ts';
import { addDatasetRoutes, type TokenLengths } from './datasets/routes.ts';
import type { Deployments } from './deployments/open-deployments.ts';
import { addDeployRoutes } from './deployments/routes.ts';
import type { EventSources } from './events/event-stream.ts';
import { addEventRoutes } from './events/routes.ts';
import type { FinetuneDependencies } from './finetuning/finetune-dependencies.ts';
import { addFinetuneRoutes } from './finetuning/routes.ts';
import { addInferenceRoutes, inferencePaths } from './inference/routes.ts';
import type { JobDependencies } from './jobs/jobs.ts';
import { addJobRoutes } from './jobs/routes.ts';
import { addKeyRoutes, type KeyRoutesDependencies } from './keys/routes.ts';
import { addModelRoutes, type ModelRoutesDependencies } from './models/routes.ts';

/** A part that is not given is not served. */
export type ManagementDependencies = DatasetDependencies &
  KeyRoutesDependencies &
  JobDependencies &
  Partial<ModelRoutesDependencies> & {
    deployments?: Deployments['routes'] | undefined;
    events?: EventSources | undefined;
    finetuning?: { routes: FinetuneDependencies; tokenLengths: TokenLengths };
  };

/** The management API: everything below `/api`. */
export function managementService(deps: ManagementDependencies): Service {
  return {
    name: 'management',
    title: 'Roundhouse management API',
    description: 'Models, deployments, jobs, data sets, fine-tuning, keys and the audit log.',
    docs: '/api/docs',
    surfaces: [{ prefix: '/api', shape: 'management' }],
    access: { scope: 'admin', openable: true },
    async routes(app) {
      await app.register(multipart, {
        limits: { files: 1, fields: 20, fileSize: deps.datasetLimits.largest + 1 },
      });
      addDatasetRoutes(app, deps, deps.finetuning?.tokenLengths);
      if (deps.finetuning) addFinetuneRoutes(app, deps.finetuning.routes);
      addJobRoutes(app, deps);
      addAuditRoutes(app, deps);
      addKeyRoutes(app, deps);
      if (deps.models) addModelRoutes(app, { models: deps.models });
      if (deps.events) addEventRoutes(app, deps.events);
      if (!deps.deployments) return;
      const { deployments, inference } = deps.deployments;
      addDeployRoutes(app, '/api', 'chat', deployments);
      await addInferenceRoutes(app, '/api', inferencePaths, inference);
    },
  };
}
