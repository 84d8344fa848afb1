import type { LlamaGrammarEvaluationState, LlamaModel } from 'node-llama-cpp';
import type { Sampling } from '../../../engine.ts';
import {
  grammarState,
  type LogitIndex,
  type NativeSampler,
  newSampler,
  readLogprobs,
  type SamplerConfig,
  sampleToken,
} from '../native.ts';
import type { TrackedSequence } from '../sequences/tracked-sequence.ts';

/** A chosen token, with the model's own log-probabilities at its position if requested. */
export interface Chosen {
  token: number;
  logprobs?: Map<number, number>;
}

export interface TokenSourceOptions {
  model: LlamaModel;
  sequence: TrackedSequence;
  sampling: Sampling;
  prompt: readonly number[];
  contextLength: number;
  grammar?: LlamaGrammarEvaluationState;
  /** The model's end tokens, which are not chosen for the first `tokens` tokens if there is any other. */
  endLater?: { tokens: number; ends: readonly number[] } | undefined;
  /** Number of most likely tokens to read at each position; undefined reads none. */
  logprobs?: number;
}

/** Larger than any vocabulary; the binding takes 32 bits. */
const maxTopK = 2 ** 24;

/** Below every logit, but finite: where a grammar allows nothing but the end, the end is still chosen. */
const lastResort = -1e9;

/** As in vLLM: dividing logits by a smaller temperature would make them infinite. */
const safeTemperature = (temperature: number) => (temperature > 0 ? Math.max(temperature, 0.01) : 0);

/** Samples an answer's tokens with the request's sampling options. */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  readonly #sampler: NativeSampler;
  readonly #neutral: NativeSampler | undefined;
  readonly #seed: number;
  readonly #counts = new Map<number, number>();
  readonly #history: number[];
  readonly #given: [number, number][];

  constructor(options: TokenSourceOptions, seed: number) {
    this.#options = options;
    this.#seed = seed >>> 0;
    this.#history = [...options.prompt];
    this.#given = Object.entries(options.sampling.logitBias ?? {}).map(([token, value]) => [
      Number(token),
      value,
    ]);
    this.#sampler = newSampler(options.model);
    this.#sampler.applyConfig(this.#config());
    if (options.logprobs !== undefined) {
      this.#neutral = newSampler(options.model);
      this.#neutral.applyConfig({ temperature: 0, seed: 0 });
    }
  }

  async choose(index: LogitIndex): Promise<Chosen> {
    const token = await sampleToken(this.#options.sequence.context, index, this.#sampler);
    this.#remember(token);
    if (!this.#neutral) return { token };
    return { token, logprobs: await this.logprobsOf(index, token) };
  }

  async logprobsOf(index: LogitIndex, token: number): Promise<Map<number, number>> {
    if (!this.#neutral) return new Map();
    const { context } = this.#options.sequence;
    const top = this.#options.logprobs ?? 0;
    return (await readLogprobs(context, index, this.#neutral, [token], top)).logprobs;
  }

  dispose(): void {
    this.#sampler.dispose();
    this.#neutral?.dispose();
  }

  #remember(token: number): void {
    this.#history.push(token);
    const { presencePenalty = 0, frequencyPenalty = 0 } = this.#options.sampling;
    const penalised = presencePenalty !== 0 || frequencyPenalty !== 0;
    if (penalised) this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1);
    const mayEndNow = this.#options.endLater?.tokens === this.#generated;
    if (penalised || mayEndNow) this.#sampler.applyConfig(this.#config());
  }

  get #generated(): number {
    return this.#history.length - this.#options.prompt.length;
  }

  #config(): SamplerConfig {
    const { sampling, grammar, contextLength } = this.#options;
    const bias = this.#bias();
    return {
      temperature: safeTemperature(sampling.temperature ?? 1),
      seed: this.#seed,
      ...(sampling.topP !== undefined && sampling.topP < 1 ? { topP: sampling.topP } : {}),
      ...(sampling.topK !== undefined && sampling.topK > 0 ? { topK: Math.min(sampling.topK, maxTopK) } : {}),
      ...(sampling.minP !== undefined && sampling.minP > 0 ? { minP: sampling.minP } : {}),
      ...(sampling.repetitionPenalty !== undefined && sampling.repetitionPenalty !== 1
        ? {
            repeatPenalty: sampling.repetitionPenalty,
            repeatPenaltyMaxTokens: contextLength,
            repeatPenaltyTokens: Uint32Array.from(this.#history),
          }
        : {}),
      ...(bias.size > 0
        ? {
            tokenBiasKeys: Uint32Array.from(bias.keys()),
            tokenBiasValues: Float32Array.from(bias.values()),
          }
        : {}),
      ...(grammar ? { grammarEvaluationState: grammarState(grammar) } : {}),
    };
  }

  /**
   * OpenAI's penalties apply only to the answer's tokens and are subtracted from logits, so they are a growing bias.
   */
  #bias(): Map<number, number> {
    const { presencePenalty = 0, frequencyPenalty = 0 } = this.#options.sampling;
    const bias = new Map(this.#given);
    for (const [token, count] of this.#counts)
      bias.set(token, (bias.get(token) ?? 0) - presencePenalty - frequencyPenalty * count);
    const { endLater } = this.#options;
    if (endLater && this.#generated < endLater.tokens)
      for (const end of endLater.ends) bias.set(end, lastResort);
    return bias;
  }
}
