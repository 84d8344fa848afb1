import { randomInt } from 'node:crypto';
import { BadRequest } from '../../../contracts/problems.ts';
import type { GenerationRequest, Prompt, Sampling } from '../../engine.ts';
import type { GenerationPlan } from './generate.ts';
import type { LoadedModel } from './model/load-model.ts';
import { plainText } from './output/text-sink.ts';
import type { PreparationInput, Prepared } from './preparation/prepare-prompt.ts';
import { contextExceeded, tokenizeParts } from './prompt/tokenize-text.ts';
import { toolSink } from './tools/tool-sink.ts';

/** Prompts are counted up to this many context lengths, so that most error messages can state the exact length. */
const countedContexts = 4;
/** Maximum number of tokens returned by the tokenize endpoint. */
const maxListed = 2 ** 18;

type Ready = Omit<Prepared, 'parts'> & { tokens: number[] };

/** Prepared prompts. Several answers to one prompt are requested with the same object. */
const ready = new WeakMap<Prompt, Promise<Ready>>();

/** Validates a request and prepares it for running. */
export async function planRequest(
  loaded: LoadedModel,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<GenerationPlan> {
  checkBias(request.sampling, loaded.tokenBytes.size);
  const { prompt, constraint } = request;
  const limit = countedContexts * loaded.contextLength;
  const preparing =
    ready.get(prompt) ?? prepare(loaded, { prompt, limit, ...(constraint ? { constraint } : {}) }, signal);
  ready.set(prompt, preparing);
  const { tokens, grammar, tools } = await preparing;
  const maxTokens = checkLength(loaded.contextLength, tokens.length, request);
  const sampling = request.sampling ?? {};
  const minTokens = request.minTokens ?? 0;
  if (minTokens > maxTokens)
    throw new BadRequest(`min_tokens is ${minTokens}, but the answer may have at most ${maxTokens} tokens.`, {
      param: 'min_tokens',
    });
  return {
    tokens,
    minTokens,
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
  const limit = Math.max(maxListed, loaded.contextLength);
  return (await prepare(loaded, { prompt, limit }, signal)).tokens;
}

async function prepare(
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
    `The prompt contains ${wrong}, which is not a token of this model (0 to ${vocabularySize - 1}).`,
    { param: 'prompt' },
  );
}

function checkBias(sampling: Sampling | undefined, vocabularySize: number): void {
  const wrong = Object.keys(sampling?.logitBias ?? {}).find((token) => !(Number(token) < vocabularySize));
  if (wrong === undefined) return;
  throw new BadRequest(
    `logit_bias contains ${wrong}, which is not a token of this model (0 to ${vocabularySize - 1}).`,
    { param: 'logit_bias' },
  );
}

function checkLength(contextLength: number, prompt: number, request: GenerationRequest): number {
  const room = contextLength - prompt;
  if (room < 1) throw contextExceeded(contextLength, prompt);
  const requested = request.maxTokens;
  if (requested === undefined) return room;
  const least = request.promptLogprobs ? 0 : 1;
  if (!Number.isInteger(requested) || requested < least)
    throw new BadRequest(`max_tokens must be at least ${least}, got ${requested}.`, { param: 'max_tokens' });
  if (requested > room) throw contextExceeded(contextLength, prompt, requested);
  return requested;
}
