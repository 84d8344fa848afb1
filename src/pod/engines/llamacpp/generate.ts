import type { LlamaGrammarEvaluationState } from 'node-llama-cpp';
import type { GenerationEvent, Sampling, TokenLogprob } from '../../engine.ts';
import type { LoadedModel } from './model/load-model.ts';
import { StopTexts } from './output/stop-texts.ts';
import type { TextSink } from './output/text-sink.ts';
import { describeToken } from './output/token-logprob.ts';
import { type Chosen, TokenSource } from './output/token-source.ts';
import type { SequenceChoice } from './sequences/choose-sequence.ts';
import { evaluatePrompt } from './sequences/evaluate-prompt.ts';
import { prepareSequence } from './sequences/prepare-sequence.ts';
import type { PromptPace } from './sequences/prompt-pace.ts';
import type { SequencePool } from './sequences/sequence-pool.ts';
import type { TrackedSequence } from './sequences/tracked-sequence.ts';

/** A prepared request: tokens, limits and grammar instead of messages, options and schemas. */
export interface GenerationPlan {
  tokens: number[];
  minTokens: number;
  maxTokens: number;
  stop: string[];
  sampling: Sampling;
  seed: number;
  grammar?: LlamaGrammarEvaluationState;
  logprobs?: number;
  promptLogprobs: boolean;
  ignoreEos: boolean;
  /** Converts the answer's text into events: plain text, or text and tool calls. */
  sink: TextSink;
}

export interface GenerationPlace {
  loaded: LoadedModel;
  pool: SequencePool;
  pace: PromptPace;
}

type Emit = (event: GenerationEvent) => Promise<void> | undefined;

/** Runs one generation, from acquiring a sequence to the last event. */
export async function runGeneration(
  place: GenerationPlace,
  plan: GenerationPlan,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const choice = await place.pool.acquire(plan.tokens, signal);
  const { sequence } = choice;
  let source: TokenSource | undefined;
  try {
    source = new TokenSource(
      {
        model: place.loaded.model,
        sequence,
        sampling: plan.sampling,
        prompt: plan.tokens,
        contextLength: place.loaded.contextLength,
        grammar: plan.grammar,
        endLater: plan.minTokens > 0 ? { tokens: plan.minTokens, ends: place.loaded.endTokens() } : undefined,
        logprobs: plan.logprobs ?? (plan.promptLogprobs ? 0 : undefined),
      },
      plan.seed,
    );
    const { first, cached } = await readPrompt(place, plan, choice, source, emit, signal);
    const ending = await decodeAnswer({ loaded: place.loaded, plan, sequence, source, first, emit, signal });
    const usage = {
      promptTokens: plan.tokens.length,
      completionTokens: ending.generated,
      cachedTokens: cached,
    };
    await emit({ kind: 'end', ...plan.sink.ending(ending.reason), stopText: ending.stop, usage });
  } finally {
    source?.dispose();
    place.pool.release(sequence);
  }
}

async function readPrompt(
  { loaded, pace }: GenerationPlace,
  plan: GenerationPlan,
  choice: SequenceChoice<TrackedSequence>,
  source: TokenSource,
  emit: Emit,
  signal: AbortSignal,
): Promise<{ first: Chosen; cached: number }> {
  const { tokens, promptLogprobs } = plan;
  const { sequence } = choice;
  const cached = promptLogprobs ? await sequence.keep(0) : await prepareSequence(choice, tokens, signal);
  const describe = (token: number, logprobs?: Map<number, number>) =>
    describeToken(loaded.tokenBytes, token, logprobs, plan.logprobs ?? 0);
  const { first, seen } = await evaluatePrompt<Chosen, TokenLogprob>({
    sequence,
    pace,
    tokens: tokens.slice(cached),
    first: (index) => source.choose(index),
    seen: promptLogprobs
      ? async (index, next) => describe(next, await source.logprobsOf(index, next))
      : undefined,
    signal,
  });
  const logprobs = promptLogprobs ? { logprobs: [describe(tokens[0] as number), ...seen] } : {};
  sequence.promptEnded();
  await emit({ kind: 'prompt', tokens: tokens.length, cachedTokens: cached, ...logprobs });
  return { first, cached };
}

interface Decoding {
  loaded: LoadedModel;
  plan: GenerationPlan;
  sequence: TrackedSequence;
  source: TokenSource;
  first: Chosen;
  emit: Emit;
  signal: AbortSignal;
}

interface Ending {
  reason: 'stop' | 'length';
  generated: number;
  stop?: string;
}

async function decodeAnswer(decoding: Decoding): Promise<Ending> {
  const { loaded, plan, sequence, source, emit, signal } = decoding;
  if (plan.maxTokens === 0) return { reason: 'length', generated: 0 };
  const stops = new StopTexts<TokenLogprob>(plan.stop);
  const characters = new TextDecoder('utf-8', { ignoreBOM: true });
  const release = async (text: string, logprobs: TokenLogprob[]) => {
    for (const event of plan.sink.push(text, logprobs)) await emit(event);
  };
  const finish = async (ending: Ending, held?: string): Promise<Ending> => {
    if (held !== undefined) {
      const rest = stops.push({ text: held, extras: [] });
      await release(rest.text, rest.extras);
      const all = stops.flush();
      if (rest.stop === undefined) await release(all.text, all.extras);
    }
    const truncated = ending.reason === 'length' || ending.stop !== undefined;
    for (const event of plan.sink.flush(truncated)) await emit(event);
    return ending;
  };

  let chosen = decoding.first;
  for (let generated = 1; ; generated++) {
    signal.throwIfAborted();
    const { token } = chosen;
    if (loaded.model.isEogToken(token as never) && !plan.ignoreEos)
      return finish({ reason: 'stop', generated }, characters.decode());
    const text = characters.decode(plan.sink.bytesOf(token), { stream: true });
    const extras =
      plan.logprobs === undefined
        ? []
        : [describeToken(loaded.tokenBytes, token, chosen.logprobs, plan.logprobs)];
    const released = generated < plan.minTokens ? { text, extras } : stops.push({ text, extras });
    await release(released.text, released.extras);
    if (released.stop !== undefined) return finish({ reason: 'stop', generated, stop: released.stop });
    if (plan.sink.done) return finish({ reason: 'stop', generated });
    if (generated >= plan.maxTokens) return finish({ reason: 'length', generated }, characters.decode());
    const [next] = await sequence.evaluate(
      () => [token],
      () => true,
      (index) => source.choose(index),
    );
    chosen = next as Chosen;
  }
}
