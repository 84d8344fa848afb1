import type { FastifyReply, FastifyRequest } from 'fastify';
import { EmbeddingRequest, EmbeddingResponse } from '../../contracts/openai/embeddings.ts';
import { RerankRequest, RerankResponse } from '../../contracts/openai/rerank.ts';
import type { App } from '../../platform/http/service.ts';
import { embeddingAnswer, purposeOf } from '../answers/embedding-answer.ts';
import { clientSignal } from '../answers/event-stream.ts';
import { inputsOf } from '../answers/generation-request.ts';
import { rerankAnswer, textsOf } from '../answers/rerank-answer.ts';
import { RequestMeter } from '../serving/measure-request.ts';
import type { Pod } from '../serving/pod.ts';
import { scoreByCosine } from '../serving/score-by-cosine.ts';
import { adapterFor, needs } from '../serving/served-model.ts';

export function addVectorRoutes(app: App, pod: Pod): void {
  app.post(
    '/v1/embeddings',
    { schema: { body: EmbeddingRequest, response: { 200: EmbeddingResponse } } },
    (request, reply) => measured(pod, request, reply, (signal) => embed(pod, request.body, signal)),
  );
  app.post(
    '/v1/rerank',
    { schema: { body: RerankRequest, response: { 200: RerankResponse } } },
    (request, reply) => measured(pod, request, reply, (signal) => rerank(pod, request.body, signal)),
  );
}

async function embed(pod: Pod, body: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResponse> {
  const engine = needs(pod.engine, ['embedding'], '/v1/embeddings');
  adapterFor(pod.served, engine, body.model);
  const options = {
    ...(body.dimensions == null ? {} : { dimensions: body.dimensions }),
    ...purposeOf(body),
    // vLLM's field: truncate to this many tokens, or to the model's maximum if -1.
    ...(body.truncate_prompt_tokens === undefined ? {} : { truncate: true }),
  };
  return embeddingAnswer(body, await engine.embed(inputsOf(body.input), options, signal));
}

async function rerank(pod: Pod, body: RerankRequest, signal: AbortSignal): Promise<RerankResponse> {
  const engine = needs(pod.engine, ['rerank', 'embedding'], '/v1/rerank');
  adapterFor(pod.served, engine, body.model);
  const documents = textsOf(body.documents);
  const scored =
    engine.kind === 'rerank'
      ? await engine.score(body.query, documents, signal)
      : await scoreByCosine(engine, body.query, documents, signal);
  return rerankAnswer(body, documents, scored);
}

async function measured(
  pod: Pod,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<{ usage: { prompt_tokens: number } }>,
): Promise<never> {
  const meter = new RequestMeter(pod.statistics, request, reply);
  const signal = clientSignal(reply);
  try {
    const body = await work(signal);
    meter.tokens(body.usage.prompt_tokens, 0);
    await reply.send(body);
  } catch (error) {
    if (!signal.aborted) throw error;
    reply.hijack();
  }
  return reply as never;
}
