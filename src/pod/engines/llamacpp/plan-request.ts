import { randomInt } from 'node:crypto';
import { BadRequest } from '../../../contracts/problems.ts';
import type { GenerationRequest, Prompt, Sampling } from '../../engine.ts';
import type { GenerationPlan } from './generate.ts';
import type { LoadedModel } from './model/load-model.ts';
import { plainText } from './output/text-sink.ts';
import type { PreparationInput, Prepared } from './preparation/prepare-prompt.ts';
import { contextExceeded, tokenizeParts } from './prompt/tokenize-text.ts';
import { toolSink } from './tools/tool-sink.ts';

/** Prompts are counted on up to so many contexts, so that a refusal can say how long most of them are. */
const countedContexts = 4;
/** Most tokens that are listed for a text without a context to fit in. */
const mostListed = 2 ** 18;

type Ready = Omit<Prepared, 'parts'> & { tokens: number[] };

/** Prompts that are made ready already: several answers to one prompt are asked for with the same object. */
const ready = new WeakMap<Prompt, Promise<Ready>>();

/** Checks a request and makes it ready to run. */
export async function planRequest(
  loaded: LoadedModel,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<GenerationPlan> {
  checkBias(request.sampling, loaded.tokenBytes.size);
  const { prompt, constraint } = request;
  const limit = countedContexts * loaded.contextLength;
  const making =
    ready.get(prompt) ?? makeReady(loaded, { prompt, limit, ...(constraint ? { constraint } : {}) }, signal);
  ready.set(prompt, making);
  const { tokens, grammar, tools } = await making;
  const maxTokens = checkLength(loaded.contextLength, tokens.length, request);
  const sampling = request.sampling ?? {};
  return {
    tokens,
    maxTokens,
    stop: request.stop ?? [],
    sampling,
    seed: sampling.seed ?? randomInt(2 ** 32),
    logprobs: request.logprobs,
    promptLogprobs: request.promptLogprobs ?? false,
    ignoreEos: request.ignoreEos ?? false,
    sink: tools ? toolSink(loaded.tokenBytes, tools.syntax, tools.rules) : plainText(loaded.tokenBytes),
    ...(grammar === undefined ? {} : { grammar: await loaded.grammars.begin(grammar) }),
  };
}

export async function promptTokens(
  loaded: LoadedModel,
  prompt: Prompt,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const limit = Math.max(mostListed, loaded.contextLength);
  return (await makeReady(loaded, { prompt, limit }, signal)).tokens;
}

async function makeReady(
  loaded: LoadedModel,
  input: PreparationInput,
  signal: AbortSignal | undefined,
): Promise<Ready> {
  const { vocabulary, contextLength, preparer, loopShare } = loaded;
  const { prompt, limit } = input;
  if (prompt.kind === 'tokens' && prompt.tokens.length > limit)
    throw contextExceeded(contextLength, prompt.tokens.length);
  const { parts, ...shape } = await preparer.prepare(input, signal);
  if (prompt.kind === 'tokens')
    return { tokens: checkTokens(prompt.tokens, loaded.tokenBytes.size), ...shape };
  const slot = () => loopShare.slot(signal);
  const tokens = await tokenizeParts(vocabulary, parts, { limit, contextLength, slot });
  if (prompt.kind === 'chat') return { tokens, ...shape };
  if (tokens.length === 0) throw new BadRequest('The prompt is empty.', { param: 'prompt' });
  const { beginning } = vocabulary;
  if (beginning !== undefined && tokens[0] !== beginning) tokens.unshift(beginning);
  return { tokens, ...shape };
}

function checkTokens(tokens: number[], vocabularySize: number): number[] {
  if (tokens.length === 0) throw new BadRequest('The prompt is empty.', { param: 'prompt' });
  const wrong = tokens.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabularySize);
  if (wrong === undefined) return tokens;
  throw new BadRequest(
    `The prompt holds ${wrong}, which is no token of this model (0 to ${vocabularySize - 1}).`,
    { param: 'prompt' },
  );
}

function checkBias(sampling: Sampling | undefined, vocabularySize: number): void {
  const wrong = Object.keys(sampling?.logitBias ?? {}).find((token) => !(Number(token) < vocabularySize));
  if (wrong === undefined) return;
  throw new BadRequest(
    `logit_bias names ${wrong}, which is no token of this model (0 to ${vocabularySize - 1}).`,
    { param: 'logit_bias' },
  );
}

function checkLength(contextLength: number, prompt: number, request: GenerationRequest): number {
  const room = contextLength - prompt;
  if (room < 1) throw contextExceeded(contextLength, prompt);
  const asked = request.maxTokens;
  if (asked === undefined) return room;
  const least = request.promptLogprobs ? 0 : 1;
  if (!Number.isInteger(asked) || asked < least)
    throw new BadRequest(`max_tokens must be at least ${least}, got ${asked}.`, { param: 'max_tokens' });
  if (asked > room) throw contextExceeded(contextLength, prompt, asked);
  return asked;
}
