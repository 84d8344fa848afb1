import { randomInt } from 'node:crypto';
import { BadRequest } from '../../../contracts/problems.ts';
import type { GenerationRequest, Prompt } from '../../engine.ts';
import type { GenerationPlan } from './generate.ts';
import type { LoadedModel } from './model/load-model.ts';
import { planAnswer } from './plan-constraint.ts';
import { contextExceeded, refuseHopeless, tokenizeChat, tokenizeText } from './prompt/prompt-tokens.ts';

/** Checks a request and makes it ready to run. */
export async function planRequest(loaded: LoadedModel, request: GenerationRequest): Promise<GenerationPlan> {
  const { prompt, grammar, sink } = planAnswer(loaded, request);
  const tokens = templateTokens(loaded, prompt);
  const maxTokens = checkLength(loaded.contextLength, tokens.length, request);
  return {
    tokens,
    maxTokens,
    stop: request.stop ?? [],
    sampling: request.sampling ?? {},
    seed: request.sampling?.seed ?? randomInt(2 ** 32),
    logprobs: request.logprobs,
    promptLogprobs: request.promptLogprobs ?? false,
    ignoreEos: request.ignoreEos ?? false,
    sink,
    ...(grammar === undefined ? {} : { grammar: await loaded.grammars.begin(grammar) }),
  };
}

export function promptTokens(loaded: LoadedModel, prompt: Prompt): number[] {
  return templateTokens(loaded, planAnswer(loaded, { prompt }).prompt);
}

function templateTokens(loaded: LoadedModel, prompt: Prompt): number[] {
  const { vocabulary, template, contextLength } = loaded;
  if (prompt.kind === 'tokens') return checkTokens(prompt.tokens, loaded.tokenBytes.size);
  if (prompt.kind === 'text') {
    refuseHopeless(vocabulary, prompt.text.length, contextLength);
    const tokens = tokenizeText(vocabulary, prompt.text);
    if (tokens.length === 0) throw new BadRequest('The prompt is empty.', { param: 'prompt' });
    return tokens;
  }
  refuseHopeless(vocabulary, charactersOf(prompt.messages), contextLength);
  return tokenizeChat(vocabulary, template, prompt);
}

function charactersOf(messages: { content?: unknown }[]): number {
  return messages.reduce((total, { content }) => {
    if (typeof content === 'string') return total + content.length;
    if (!Array.isArray(content)) return total;
    return total + content.reduce((sum: number, part) => sum + (part?.text?.length ?? 0), 0);
  }, 0);
}

function checkTokens(tokens: number[], vocabularySize: number): number[] {
  if (tokens.length === 0) throw new BadRequest('The prompt is empty.', { param: 'prompt' });
  const wrong = tokens.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabularySize);
  if (wrong === undefined) return tokens;
  throw new BadRequest(
    `The prompt holds ${wrong}, which is no token of this model (0 to ${vocabularySize - 1}).`,
    {
      param: 'prompt',
    },
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
