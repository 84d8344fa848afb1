import { DetailError, HTTPValidationError } from '../../contracts/errors.ts';
import {
  Deployment,
  DeployRequest,
  DeployStatus,
  type Slot,
} from '../../contracts/management/deployments.ts';
import { Job } from '../../contracts/management/jobs.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import type { DeploymentDependencies } from './deploying/deployment-dependencies.ts';
import { getDeployment, getDeployStatus } from './deploying/get-deployment.ts';
import { interruptDeployment } from './deploying/interrupt-deployment.ts';
import { startDeployment } from './deploying/start-deployment.ts';

const tags = ['deployments'];
const nothing = { 404: DetailError };

/** A slot's deployment, below `prefix`. */
export function addDeployRoutes(app: App, prefix: string, slot: Slot, deps: DeploymentDependencies): void {
  const config = { access: { scope: 'admin', openable: true } } as const;
  app.get(
    `${prefix}/v1/deploy/`,
    {
      config,
      schema: { tags, summary: `What the ${slot} slot serves`, response: { 200: Deployment, ...nothing } },
    },
    () => getDeployment(deps, slot),
  );
  app.post(
    `${prefix}/v1/deploy/`,
    {
      config,
      schema: {
        tags,
        summary: `Deploy a model, with adapters, to the ${slot} slot`,
        description:
          'What is deployed now serves until the new deployment is ready, and goes on if that fails. ' +
          'Other adapters of the same base are taken up without loading the base again.',
        body: DeployRequest,
        response: { 200: Job, ...nothing, 422: HTTPValidationError, 507: DetailError },
      },
    },
    (request) => startDeployment(deps, actorOf(request), { slot, request: request.body }),
  );
  app.get(
    `${prefix}/v1/deploy/status`,
    {
      config,
      schema: {
        tags,
        summary: `The last deployment to the ${slot} slot`,
        response: { 200: DeployStatus, ...nothing },
      },
    },
    () => getDeployStatus(deps, slot),
  );
  app.post(
    `${prefix}/v1/deploy/interrupt/`,
    {
      config,
      schema: {
        tags,
        summary: `Undeploy the ${slot} slot`,
        description:
          'Also stops a deployment that is under way. The job is shown as RUNNING: it is being stopped.',
        response: { 200: Job, ...nothing },
      },
    },
    (request) => interruptDeployment(deps, actorOf(request), slot),
  );
}
