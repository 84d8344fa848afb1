import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChatRequest } from '../../contracts/openai/chat/chat-request.ts';
import { ChatCompletionResponse } from '../../contracts/openai/chat/chat-response.ts';
import { CompletionRequest, CompletionResponse } from '../../contracts/openai/completions.ts';
import { BadRequest } from '../../contracts/problems.ts';
import type { App } from '../../platform/http/service.ts';
import { answerHead } from '../answers/answer-head.ts';
import { wholeChatAnswer } from '../answers/chat-answer.ts';
import { chatChunks } from '../answers/chat-chunks.ts';
import { type CompletionShape, completionChunks, wholeCompletion } from '../answers/completion-answer.ts';
import { clientSignal, sendEventStream } from '../answers/event-stream.ts';
import { chatGeneration, completionGeneration, promptsOf } from '../answers/generation-request.ts';
import { type IndexedEvent, runGenerations } from '../answers/run-generations.ts';
import type { GenerationRequest, LanguageEngine, Prompt } from '../engine.ts';
import { RequestMeter } from '../serving/measure-request.ts';
import type { Pod } from '../serving/pod.ts';
import { adapterFor, needs } from '../serving/served-model.ts';

/** Maximum number of prompts times answers per request. All are held in memory until the engine runs them. */
const maxAnswers = 2048;

/** The engine requests for an API request, and how their events become the response. */
interface Plan {
  requests: GenerationRequest[];
  answersPerPrompt: number;
  stream: boolean;
  whole(events: AsyncIterable<IndexedEvent>): Promise<unknown>;
  chunks(events: AsyncIterable<IndexedEvent>): AsyncGenerator<string>;
}

export function addGenerationRoutes(app: App, pod: Pod): void {
  app.post(
    '/v1/chat/completions',
    { schema: { body: ChatRequest, response: { 200: ChatCompletionResponse } } },
    (request, reply) => answer(pod, request, reply, (engine) => planChat(pod, engine, request.body)),
  );
  app.post(
    '/v1/completions',
    { schema: { body: CompletionRequest, response: { 200: CompletionResponse } } },
    (request, reply) => answer(pod, request, reply, (engine) => planCompletion(pod, engine, request.body)),
  );
}

async function answer(
  pod: Pod,
  request: FastifyRequest,
  reply: FastifyReply,
  makePlan: (engine: LanguageEngine) => Plan,
): Promise<never> {
  const meter = new RequestMeter(pod.statistics, request, reply);
  const signal = clientSignal(reply);
  const engine = needs(pod.engine, ['language'], request.url);
  const plan = makePlan(engine);
  const events = meter.watch(runGenerations(engine, plan.requests, signal), plan.answersPerPrompt);
  try {
    if (plan.stream) await sendEventStream(reply, plan.chunks(events), signal);
    else await reply.send(await plan.whole(events));
  } catch (error) {
    if (!signal.aborted) throw error;
    // The client has disconnected, so there is nobody to respond to.
    reply.hijack();
  }
  return reply as never;
}

function planChat(pod: Pod, engine: LanguageEngine, body: ChatRequest): Plan {
  const n = body.n ?? 1;
  const generation = chatGeneration(body, adapterFor(pod.served, engine, body.model));
  const head = answerHead('chatcmpl', body.model, pod.fingerprint);
  return {
    requests: answersOf(generation, n),
    answersPerPrompt: n,
    stream: body.stream === true,
    whole: (events) => wholeChatAnswer(head, n, events),
    chunks: (events) => chatChunks(head, n, body.stream_options?.include_usage === true, events),
  };
}

function planCompletion(pod: Pod, engine: LanguageEngine, body: CompletionRequest): Plan {
  const n = body.n ?? 1;
  const adapter = adapterFor(pod.served, engine, body.model);
  const prompts = promptsOf(body.prompt);
  if (prompts.length * n > maxAnswers) {
    throw new BadRequest(`a request may ask for at most ${maxAnswers} answers`, { param: 'prompt' });
  }
  const requests = prompts.flatMap((prompt) => answersOf(completionGeneration(body, prompt, adapter), n));
  const shape: CompletionShape = {
    head: answerHead('cmpl', body.model, pod.fingerprint),
    n,
    echo: body.echo ? prompts.map((prompt) => textOf(engine, prompt)) : undefined,
    choices: requests.length,
    includeUsage: body.stream_options?.include_usage === true,
  };
  return {
    requests,
    answersPerPrompt: n,
    stream: body.stream === true,
    whole: (events) => wholeCompletion(shape, events),
    chunks: (events) => completionChunks(shape, events),
  };
}

/** With a seed, each answer gets a different one; with the same seed they would all be equal. */
function answersOf(generation: GenerationRequest, n: number): GenerationRequest[] {
  const { sampling } = generation;
  return Array.from({ length: n }, (_, index) =>
    index === 0 || sampling?.seed === undefined
      ? generation
      : { ...generation, sampling: { ...sampling, seed: sampling.seed + index } },
  );
}

function textOf(engine: LanguageEngine, prompt: Prompt): string {
  if (prompt.kind === 'text') return prompt.text;
  return prompt.kind === 'tokens' ? engine.detokenize(prompt.tokens) : '';
}
