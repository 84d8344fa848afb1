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
const notFound = { 404: DetailError };

/** Adds the deployment routes of a slot below `prefix`. */
export function addDeployRoutes(app: App, prefix: string, slot: Slot, deps: DeploymentDependencies): void {
  const config = { access: { scope: 'admin', openable: true } } as const;
  app.get(
    `${prefix}/v1/deploy/`,
    {
      config,
      schema: {
        tags,
        summary: `Get the deployment of the ${slot} slot`,
        response: { 200: Deployment, ...notFound },
      },
    },
    () => getDeployment(deps, slot),
  );
  app.post(
    `${prefix}/v1/deploy/`,
    {
      config,
      schema: {
        tags,
        summary: `Deploy a model and its adapters to the ${slot} slot`,
        description:
          'The current deployment serves until the new one is ready, and stays if the new one fails. ' +
          'Changing only the adapters does not reload the base.',
        body: DeployRequest,
        response: { 200: Job, ...notFound, 422: HTTPValidationError, 507: DetailError },
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
        summary: `Get the last deployment job of the ${slot} slot`,
        response: { 200: DeployStatus, ...notFound },
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
          'Also cancels a deployment in progress. The job is returned as RUNNING, because it is still being stopped.',
        response: { 200: Job, ...notFound },
      },
    },
    (request) => interruptDeployment(deps, actorOf(request), slot),
  );
}
