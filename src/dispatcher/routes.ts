import { z } from 'zod';
import { GpuInfo } from '../contracts/dispatcher/gpu-info.ts';
import { DeployPodsQuery, PlannedPods } from '../contracts/dispatcher/pod-plan.ts';
import { PodAddress, PodInfoOrNull, PodReach, PodRecord } from '../contracts/dispatcher/pods.ts';
import { TokenizerInfoQuery } from '../contracts/dispatcher/tokens.ts';
import { HTTPValidationError, OpenAIError } from '../contracts/errors.ts';
import { inferenceEndpoints } from '../contracts/inference-endpoints.ts';
import { type Model, ModelResponse } from '../contracts/openai/models.ts';
import { databaseHeader } from '../platform/database/identity-store.ts';
import { allows, type Caller } from '../platform/http/access.ts';
import { actorOf } from '../platform/http/requests/actor-of.ts';
import type { App } from '../platform/http/service.ts';
import type { Aliases } from '../platform/inference/aliases.ts';
import { addModelRoute } from '../platform/inference/model-route.ts';
import { addRerankRoutes } from '../platform/inference/rerank/rerank-routes.ts';
import type { InferenceTransport } from '../platform/inference/sending/transport.ts';
import { allowedModels } from '../platform/metering/allowed-models.ts';
import type { Front } from './calls/front.ts';
import { gpuInfo } from './clients/gpu-info.ts';
import { tokenizerInfo } from './clients/tokenizer-info.ts';
import { createPods } from './pods/plans/create-pods.ts';
import { deployPods } from './pods/plans/deploy-pods.ts';
import type { PlanDependencies } from './pods/plans/describe-plans.ts';
import type { PodRegistry } from './pods/registry.ts';
import { checkReporter } from './pods/reports/check-reporter.ts';
import { reachPod } from './pods/reports/reach-pod.ts';
import { listPods, reportPod } from './pods/reports/report-pod.ts';

interface RouteDependencies {
  registry: PodRegistry;
  plans: PlanDependencies;
  front: Front;
  /** The models of pods that can be called now. */
  models(): ModelResponse;
  /** The bots that a caller may use as models. */
  bots(caller: Caller): Promise<Model[]>;
  /** Open mode: keys need no scope. */
  open: boolean;
  aliases: Aliases;
  /** Tells management in another process whether it shares this database. */
  databaseId: string;
  /** Takes requests that were translated here. */
  transport: InferenceTransport;
}

const access = { scope: 'inference', openable: true } as const;
/** Bots are listed too, for keys that may read them. */
const listing = { ...access, or: 'index:read' } as const;

const refusals = { 422: HTTPValidationError, 503: OpenAIError };

export async function addDispatcherRoutes(
  app: App,
  { registry, plans, front, models, bots, open, aliases, transport, databaseId }: RouteDependencies,
): Promise<void> {
  const listed = async (caller: Caller) => {
    const readsOnly = !open && caller.kind === 'key' && !allows(caller.scopes, 'inference');
    return [...(readsOnly ? [] : models().data), ...(await bots(caller))];
  };
  app.get(
    '/v1/models',
    {
      config: { access: listing },
      schema: {
        tags: ['inference'],
        summary: 'List the available models',
        response: { 200: ModelResponse },
      },
    },
    async ({ caller }) => ({ object: 'list', data: allowedModels(caller, await listed(caller)) }),
  );
  addModelRoute(app, '', { access: listing }, (_params, caller) => listed(caller));
  const defaultModel = () => registry.soleModel('rerank') ?? registry.soleModel('embeddings');
  addRerankRoutes(app, { transport, defaultModel });
  addDescriptionRoutes(app, { registry, aliases });
  await app.register(async (scope) => addProxiedRoutes(scope as App, front));
  addPodRoutes(app, { registry, plans, databaseId });
}

/** What some clients ask about the models and the machines behind them. */
function addDescriptionRoutes(app: App, deps: Pick<RouteDependencies, 'registry' | 'aliases'>): void {
  app.get(
    '/tokenizer_info',
    {
      config: { access },
      schema: {
        tags: ['inference'],
        summary: "Describe a model's tokenizer",
        querystring: TokenizerInfoQuery,
        response: { 200: z.looseObject({}), 404: OpenAIError },
      },
    },
    ({ caller, query }) => tokenizerInfo(deps, caller, query.model) as never,
  );
  app.get(
    '/v1/gpu_info',
    {
      config: { access },
      schema: {
        tags: ['inference'],
        summary: 'Describe the hardware that serves the models',
        response: { 200: GpuInfo },
      },
    },
    () => gpuInfo(deps.registry),
  );
}

/**
 * The front normally handles these requests before they get here. The routes document them, and serve them where
 * there is no front.
 */
function addProxiedRoutes(app: App, front: Front): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  for (const { path, schema, summary, body } of inferenceEndpoints) {
    app.post(
      path,
      {
        schema: {
          tags: ['inference'],
          summary,
          description: "The request is forwarded to a pod, and the pod's response is returned unchanged.",
          ...(body === 'form' ? { consumes: ['multipart/form-data'] } : {}),
          body: schema,
          response: { 200: z.unknown().describe("The pod's response"), ...refusals },
        },
        validatorCompiler: () => () => true,
      },
      (request, reply) => {
        reply.hijack();
        front.take(request.raw, reply.raw, path);
      },
    );
  }
}

function addPodRoutes(
  app: App,
  { registry, plans, databaseId }: Pick<RouteDependencies, 'registry' | 'plans' | 'databaseId'>,
): void {
  const config = { access: { scope: 'admin', openable: true } } as const;
  const tags = ['pods'];
  app.post(
    '/pods-info/',
    {
      config: { access: { scope: 'pods', openable: true } },
      schema: {
        tags,
        summary: 'Report a pod, or list all pods',
        description:
          'With a report: stores it and returns the pod record. With null or no body: returns all pod records.',
        body: PodInfoOrNull.optional(),
        response: { 200: z.union([PodRecord, z.array(PodRecord)]), 422: HTTPValidationError },
      },
    },
    ({ caller, body }, reply) => {
      checkReporter(registry, caller, body);
      if (body) return reportPod(registry, body, caller.kind === 'key' ? caller.id : undefined);
      reply.header(databaseHeader, databaseId);
      return listPods(registry);
    },
  );
  app.post(
    '/pods-info/reach/',
    {
      config: { access: { scope: 'pods', openable: true } },
      schema: {
        tags,
        summary: 'Check whether the dispatcher can reach a pod',
        body: PodAddress,
        response: { 200: PodReach, 422: HTTPValidationError },
      },
    },
    ({ caller, body }) => {
      checkReporter(registry, caller, body);
      return reachPod(registry, body);
    },
  );
  app.post(
    '/create-pods/',
    {
      config,
      schema: { tags, summary: 'Create the pods listed in pods.yaml', response: { 200: PlannedPods } },
    },
    (request) => createPods(plans, actorOf(request)),
  );
  app.post(
    '/deploy-pods/',
    {
      config,
      schema: {
        tags,
        summary: 'Start one created pod, or all of them',
        querystring: DeployPodsQuery,
        response: { 200: PlannedPods, 404: OpenAIError },
      },
    },
    (request) => deployPods(plans, actorOf(request), request.query.id),
  );
}
