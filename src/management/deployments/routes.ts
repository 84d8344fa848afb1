import { z } from 'zod';
import { DetailError, HTTPValidationError } from '../../contracts/errors.ts';
import {
  Deployment,
  DeployRequest,
  DeployStatus,
  type Slot,
  SlotEntry,
} from '../../contracts/management/deployments.ts';
import { Job } from '../../contracts/management/jobs.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import type { DeploymentDependencies } from './deploying/deployment-dependencies.ts';
import { getDeployment, getDeployStatus } from './deploying/get-deployment.ts';
import { interruptDeployment } from './deploying/interrupt-deployment.ts';
import { listSlots } from './deploying/list-slots.ts';
import { startDeployment } from './deploying/start-deployment.ts';

const tags = ['deployments'];
const notFound = { 404: DetailError };

const config = { access: { scope: 'admin', openable: true } } as const;

/** The slot that routes are about. */
interface RouteSlot {
  /** In their descriptions. */
  label: string;
  /** The parameters of the path. */
  params?: z.ZodObject;
  find(params: unknown): Slot;
  /** Also checks that the name can be given to a slot. */
  forDeployment(params: unknown): Slot;
}

export const oneSlot = (slot: Slot): RouteSlot => ({
  label: `${slot} slot`,
  find: () => slot,
  forDeployment: () => slot,
});

/** `GET /api/v1/slots/`: all slots at a glance. */
export function addSlotsRoute(app: App, deps: DeploymentDependencies): void {
  app.get(
    '/api/v1/slots/',
    {
      config,
      schema: {
        tags,
        summary: 'List the slots and what they serve',
        response: { 200: z.array(SlotEntry) },
      },
    },
    () => listSlots(deps),
  );
}

/** Adds the deployment routes of a slot below `prefix`. */
export function addDeployRoutes(
  app: App,
  prefix: string,
  { label, params, find, forDeployment }: RouteSlot,
  deps: DeploymentDependencies,
): void {
  const path = params ? { params } : {};
  app.get(
    `${prefix}/v1/deploy/`,
    {
      config,
      schema: {
        tags,
        ...path,
        summary: `Get the deployment of the ${label}`,
        response: { 200: Deployment, ...notFound },
      },
    },
    (request) => getDeployment(deps, find(request.params)),
  );
  app.post(
    `${prefix}/v1/deploy/`,
    {
      config,
      schema: {
        tags,
        ...path,
        summary: `Deploy a model and its adapters to the ${label}`,
        description:
          'The current deployment serves until the new one is ready, and stays if the new one fails. ' +
          'Changing only the adapters does not reload the base. ' +
          'With `replace` the current deployment is stopped first, and started again if the new one fails.',
        body: DeployRequest,
        response: {
          200: Job,
          ...notFound,
          409: DetailError,
          422: HTTPValidationError,
          507: DetailError,
        },
      },
    },
    (request) =>
      startDeployment(deps, actorOf(request), {
        slot: forDeployment(request.params),
        request: request.body,
      }),
  );
  app.get(
    `${prefix}/v1/deploy/status`,
    {
      config,
      schema: {
        tags,
        ...path,
        summary: `Get the last deployment job of the ${label}`,
        response: { 200: DeployStatus, ...notFound },
      },
    },
    (request) => getDeployStatus(deps, find(request.params)),
  );
  app.post(
    `${prefix}/v1/deploy/interrupt/`,
    {
      config,
      schema: {
        tags,
        ...path,
        summary: `Undeploy the ${label}`,
        description:
          'Also cancels a deployment in progress. The job is returned as RUNNING, because it is still being stopped.',
        response: { 200: Job, ...notFound },
      },
    },
    (request) => interruptDeployment(deps, actorOf(request), find(request.params)),
  );
}
