import multipart from '@fastify/multipart';
import type { FileDependencies } from '../models/library/serving/list-files.ts';
import type { Service } from '../platform/http/service.ts';
import type { ServedSurface } from '../platform/inference/inference-front.ts';
import { addInferenceRoutes } from '../platform/inference/inference-routes.ts';
import { addAuditRoutes } from './audit/routes.ts';
import type { DatasetDependencies } from './datasets/dataset-record.ts';
import { addDatasetRoutes, type TokenLengths } from './datasets/routes.ts';
import type { DeploymentDependencies } from './deployments/deploying/deployment-dependencies.ts';
import { addDeployRoutes, addSlotsRoute, oneSlot } from './deployments/routes.ts';
import type { EventSources } from './events/event-stream.ts';
import { addEventRoutes } from './events/routes.ts';
import type { FinetuneDependencies } from './finetuning/finetune-dependencies.ts';
import { addFinetuneRoutes } from './finetuning/routes.ts';
import { deployedPaths, inferenceShapes } from './inference/routes.ts';
import type { JobDependencies } from './jobs/jobs.ts';
import { addJobRoutes } from './jobs/routes.ts';
import { addKeyRoutes, type KeyRoutesDependencies } from './keys/routes.ts';
import { addModelFileRoutes } from './models/file-routes.ts';
import { addModelRoutes, type ModelRoutesDependencies } from './models/routes.ts';
import type { StatusDependencies } from './status/describe-platform.ts';
import { addStatusRoutes } from './status/routes.ts';
import { addUsageRoute } from './usage/routes.ts';

/** Routes whose dependencies are absent are not served, so that tests can open a part of the API. */
export type ManagementDependencies = DatasetDependencies &
  KeyRoutesDependencies &
  JobDependencies &
  Partial<ModelRoutesDependencies> & {
    modelFiles?: FileDependencies;
    deployments?: DeploymentDependencies;
    inference?: ServedSurface;
    events?: EventSources;
    status?: StatusDependencies;
    ready?: NonNullable<Service['ready']>;
    finetuning?: { routes: FinetuneDependencies; tokenLengths: TokenLengths };
  };

/** The management API: everything below `/api`. */
export function managementService(deps: ManagementDependencies): Service {
  const { ready } = deps;
  return {
    ...(ready ? { ready } : {}),
    name: 'management',
    title: 'Roundhouse management API',
    description: 'Models, deployments, jobs, data sets, fine-tuning, keys, usage and the audit log.',
    docs: '/api/docs',
    surfaces: [{ prefix: '/api', shape: 'management' }, ...inferenceShapes('/api', deployedPaths)],
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
      addUsageRoute(app, deps);
      if (deps.models) addModelRoutes(app, { models: deps.models });
      if (deps.modelFiles) addModelFileRoutes(app, deps.modelFiles);
      if (deps.events) addEventRoutes(app, deps.events);
      if (deps.status) addStatusRoutes(app, deps.status);
      if (deps.deployments) {
        addDeployRoutes(app, '/api', oneSlot('chat'), deps.deployments);
        addSlotsRoute(app, deps.deployments);
      }
      const { inference } = deps;
      if (inference) await addInferenceRoutes(app, '/api', deployedPaths, () => inference);
    },
  };
}
