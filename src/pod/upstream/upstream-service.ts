import type { FastifyReply, FastifyRequest } from 'fastify';
import { BadRequest, Unavailable } from '../../contracts/problems.ts';
import type { App, Service } from '../../platform/http/service.ts';
import { clientSignal } from '../answers/event-stream.ts';
import type { UpstreamEngine } from '../engine.ts';
import { addModelRoutes, podIdentity } from '../pod-service.ts';
import { addAdapterRoutes } from '../routes/adapter-routes.ts';
import { RequestMeter } from '../serving/measure-request.ts';
import type { Pod } from '../serving/pod.ts';
import { adapterFor, needs } from '../serving/served-model.ts';
import { passThrough } from './pass-through.ts';

/** The paths that are passed through. A server's other paths are for its operator, not for callers. */
const paths = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/rerank',
  '/v1/responses',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/tokenize',
  '/detokenize',
];

/** A pod whose engine is a separate server that already speaks OpenAI's API. */
export function upstreamService(pod: Pod): Service {
  return {
    ...podIdentity(pod),
    async routes(app) {
      addModelRoutes(app, pod);
      addAdapterRoutes(app, pod);
      await app.register(async (scope) => addPassedRoutes(scope as App, pod));
    },
  };
}

function addPassedRoutes(app: App, pod: Pod): void {
  // The original bytes are passed on, because parsing and serialising would change them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const path of paths) app.post(path, (request, reply) => pass(pod, request, reply));
}

async function pass(pod: Pod, request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const meter = new RequestMeter(pod.statistics, request, reply);
  const signal = clientSignal(reply);
  const engine = needs(pod.engine, ['upstream'], request.url);
  const { ready, text } = engine.state();
  if (!ready) throw new Unavailable(`the server behind this pod is not ready: ${text}`, { retryAfter: 2 });
  const contentType = request.headers['content-type'] ?? 'application/json';
  const raw = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const body = contentType.includes('json') ? withUpstreamModel(pod, engine, raw) : raw;
  const path = request.routeOptions.url ?? request.url;
  try {
    await passThrough(engine, { path, contentType, body }, reply, meter, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    reply.hijack();
  }
  return reply as never;
}

/** Replaces the model by the server's own name for it; returns the original bytes if nothing changes. */
function withUpstreamModel(pod: Pod, engine: UpstreamEngine, raw: Buffer): Buffer | string {
  const request = parse(raw);
  const requested = typeof request.model === 'string' ? request.model : pod.served.served_model_name;
  const adapter = adapterFor(pod.served, engine, requested);
  const model = engine.upstreamModel(adapter ?? pod.served.served_model_name);
  const fields = engine.bodyFields(adapter ?? pod.served.served_model_name);
  if (model === request.model && Object.keys(fields).length === 0) return raw;
  return JSON.stringify({ ...request, model, ...fields });
}

function parse(raw: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    throw new BadRequest(`the request body is not valid JSON: ${(error as Error).message}`, {
      code: 'invalid_json',
    });
  }
  throw new BadRequest('the request body must be a JSON object');
}
