import { z } from 'zod';
import { ChatMessage } from '../contracts/openai/chat-messages.ts';
import { list, most, TokenIds } from '../contracts/openai/limits.ts';
import { ModelResponse } from '../contracts/openai/models.ts';
import { BadRequest } from '../contracts/problems.ts';
import type { App, Service } from '../platform/http/service.ts';
import { clientSignal } from './answers/event-stream.ts';
import type { ChatMessage as EngineMessage, Prompt } from './engine.ts';
import type { Pod } from './pod.ts';
import { addAdapterRoutes } from './routes/adapter-routes.ts';
import { addGenerationRoutes } from './routes/generation-routes.ts';
import { addVectorRoutes } from './routes/vector-routes.ts';
import { adapterFor, listModels, needs } from './served-model.ts';

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

const Tokenize = z
  .looseObject({
    model: z.string().optional(),
    prompt: z.string().optional(),
    messages: list(ChatMessage, { most: most.messages }).optional(),
  })
  .meta({ id: 'Tokenize' });
const Detokenize = z
  .looseObject({ model: z.string().optional(), tokens: TokenIds })
  .meta({ id: 'Detokenize' });

/** vLLM's endpoints for counting tokens in advance. */
function addTokenRoutes(app: App, pod: Pod): void {
  app.post('/tokenize', { schema: { body: Tokenize } }, async (request, reply) => {
    const { model, prompt, messages } = request.body;
    const engine = needs(pod.engine, ['language'], request.url);
    if (model !== undefined) adapterFor(pod.served, engine, model);
    if (prompt === undefined && !messages)
      throw new BadRequest('send a prompt or messages', { param: 'prompt' });
    const requested: Prompt =
      prompt === undefined
        ? { kind: 'chat', messages: messages as EngineMessage[] }
        : { kind: 'text', text: prompt };
    const tokens = await engine.tokenize(requested, clientSignal(reply));
    return { count: tokens.length, max_model_len: engine.facts.contextLength ?? null, tokens };
  });
  app.post('/detokenize', { schema: { body: Detokenize } }, (request) => {
    const engine = needs(pod.engine, ['language'], request.url);
    const size = engine.facts.vocabularySize ?? Number.POSITIVE_INFINITY;
    if (request.body.tokens.some((token) => token >= size)) {
      throw new BadRequest(`token ids must be at most ${size - 1} for this model`, { param: 'tokens' });
    }
    return { prompt: engine.detokenize(request.body.tokens) };
  });
}
