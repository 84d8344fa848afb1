import type {
  Llama,
  LlamaContext,
  LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaModel,
  Token,
} from 'node-llama-cpp';
import { InternalFault } from '../../../contracts/problems.ts';

/**
 * The only file that uses node-llama-cpp's internals. The public sampler returns probabilities only after temperature
 * and grammar, and the public API can neither copy a sequence nor free an adapter; the binding can do all three. The
 * package version is pinned, and `checkNative` fails at start if these members are missing.
 */

declare const logitIndex: unique symbol;
/** Index of a position's logits in the batch just decoded. Valid only inside the callback that receives it. */
export type LogitIndex = number & { [logitIndex]: true };

export interface SamplerConfig {
  temperature: number;
  topP?: number;
  topK?: number;
  minP?: number;
  seed: number;
  repeatPenalty?: number;
  repeatPenaltyMaxTokens?: number;
  repeatPenaltyTokens?: Uint32Array;
  tokenBiasKeys?: Uint32Array;
  tokenBiasValues?: Float32Array;
  grammarEvaluationState?: unknown;
}

export interface NativeSampler {
  applyConfig(config: SamplerConfig): void;
  dispose(): void;
}

interface NativeContext {
  sampleToken(index: LogitIndex, sampler: NativeSampler): Promise<number>;
  sampleToken(
    index: LogitIndex,
    sampler: NativeSampler,
    probabilities: boolean,
    confidence: boolean,
    logits: [tokens: number[], max: boolean, min: boolean, selected: boolean, top: number],
    totalWeight: boolean,
  ): Promise<[token: number, unknown, unknown, logits: number[], totalWeight: number]>;
}

interface NativeAdapter {
  dispose(): Promise<void>;
}

interface SequenceInside {
  _decodeTokens<Result>(
    tokens: number[],
    logits: (true | undefined)[],
    priority: number,
    meter: unknown,
    contextShift: { size: number; strategy: () => never },
    onLogits: (index: LogitIndex, tokenIndex: number) => Promise<Result | undefined>,
  ): Promise<(Result | undefined)[]>;
  _copyStateFromOtherSequence(other: LlamaContextSequence, length: number): Promise<boolean>;
}

interface ModelInside {
  _model: { getTokenString(token: number): string };
  _loraAdapters: Map<string, NativeAdapter>;
}

interface ContextInside {
  _ctx: NativeContext;
}

interface LlamaInside {
  _bindings: { AddonSampler: new (model: unknown) => NativeSampler };
}

const inside = {
  llama: (llama: Llama) => llama as unknown as LlamaInside,
  model: (model: LlamaModel) => model as unknown as ModelInside,
  context: (context: LlamaContext) => context as unknown as ContextInside,
  sequence: (sequence: LlamaContextSequence) => sequence as unknown as SequenceInside,
};

/** Throws if the installed node-llama-cpp lacks a member that this file uses. */
export function checkNative(model: LlamaModel, context: LlamaContext, sequence: LlamaContextSequence): void {
  const members: [string, unknown][] = [
    ['AddonSampler', inside.llama(model.llama)._bindings?.AddonSampler],
    ['_ctx.sampleToken', inside.context(context)._ctx?.sampleToken],
    ['_decodeTokens', inside.sequence(sequence)._decodeTokens],
    ['_copyStateFromOtherSequence', inside.sequence(sequence)._copyStateFromOtherSequence],
    ['_loraAdapters', inside.model(model)._loraAdapters],
  ];
  const missing = members.filter(([, member]) => member === undefined).map(([name]) => name);
  if (missing.length > 0)
    throw new Error(`unsupported version of node-llama-cpp: it lacks ${missing.join(', ')}`);
}

export function newSampler(model: LlamaModel): NativeSampler {
  const { AddonSampler } = inside.llama(model.llama)._bindings;
  return new AddonSampler(inside.model(model)._model);
}

/**
 * Evaluates tokens at the end of a sequence, batched with other sequences, and calls `onLogits` for each index that
 * `wanted` selects while its logits are available. Errors from `onLogits` are thrown after the batch: if thrown
 * inside, the binding would leave every request of the batch waiting forever.
 */
export async function decode<Result>(
  sequence: LlamaContextSequence,
  tokens: number[],
  wanted: (index: number) => boolean,
  onLogits: (index: LogitIndex, tokenIndex: number) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const logits = tokens.map((_, index) => (wanted(index) ? (true as const) : undefined));
  const noShift = {
    size: 0,
    strategy: (): never => {
      throw new Error('the sequence is full');
    },
  };
  let failure: { error: unknown } | undefined;
  const results = await inside
    .sequence(sequence)
    ._decodeTokens(tokens, logits, 3, sequence.tokenMeter, noShift, async (index, tokenIndex) => {
      if (failure) return undefined;
      try {
        return await onLogits(index, tokenIndex);
      } catch (error) {
        failure = { error };
        return undefined;
      }
    });
  if (failure) throw failure.error;
  return results;
}

export async function sampleToken(
  context: LlamaContext,
  index: LogitIndex,
  sampler: NativeSampler,
): Promise<number> {
  const token = await inside
    .context(context)
    ._ctx.sampleToken(index, sampler)
    .catch((error: unknown) => {
      throw noToken(error);
    });
  if (token < 0) throw noToken(new Error('the sampler returned no token'));
  return token;
}

const noToken = (cause: unknown): InternalFault =>
  new InternalFault('No token could be sampled with the sampling options and the grammar of this request.', {
    code: 'sampling_failed',
    cause,
  });

export interface LogitReading {
  /** Token → log-probability, most likely first; also contains the requested tokens. */
  logprobs: Map<number, number>;
}

/**
 * Log-probabilities of the model's own distribution. `neutral` is a sampler with temperature 0 and no other options.
 */
export async function readLogprobs(
  context: LlamaContext,
  index: LogitIndex,
  neutral: NativeSampler,
  tokens: number[],
  top: number,
): Promise<LogitReading> {
  const filter: [number[], boolean, boolean, boolean, number] = [
    tokens,
    false,
    false,
    false,
    Math.max(1, top),
  ];
  const [, , , pairs, totalWeight] = await inside
    .context(context)
    ._ctx.sampleToken(index, neutral, false, false, filter, true);
  // The total weight is relative to the highest logit, which is first in the list.
  const normalizer = (pairs[1] ?? 0) + Math.log(totalWeight);
  const logprobs = new Map<number, number>();
  for (let position = 0; position + 1 < pairs.length; position += 2)
    logprobs.set(pairs[position] as number, (pairs[position + 1] as number) - normalizer);
  return { logprobs };
}

/**
 * Copies the first `length` tokens of `source` into `target`. If it returns false, the contents of `target` are
 * undefined.
 */
export async function copySequence(
  target: LlamaContextSequence,
  source: LlamaContextSequence,
  length: number,
): Promise<boolean> {
  return inside.sequence(target)._copyStateFromOtherSequence(source, length);
}

/** Frees an adapter's weights. No context may still use it. */
export async function freeAdapter(model: LlamaModel, path: string): Promise<void> {
  const adapters = inside.model(model)._loraAdapters;
  const adapter = adapters.get(path);
  adapters.delete(path);
  await adapter?.dispose();
}

export function grammarState(state: LlamaGrammarEvaluationState): unknown {
  return (state as unknown as { _state: unknown })._state;
}

export const asTokens = (tokens: number[]): Token[] => tokens as Token[];
