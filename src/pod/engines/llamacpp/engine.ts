import { resolve } from 'node:path';
import { BadRequest, Conflict, NotFound, Unavailable } from '../../../contracts/problems.ts';
import type {
  EngineFacts,
  EngineStatus,
  GenerationEvent,
  GenerationRequest,
  LanguageEngine,
  Prompt,
} from '../../engine.ts';
import { Contexts } from './contexts.ts';
import { type GenerationPlan, runGeneration } from './generate.ts';
import { checkAdapter } from './model/check-adapter.ts';
import { type LoadedModel, loadModel } from './model/load-model.ts';
import { modelFacts } from './model/model-facts.ts';
import {
  defaultParallel,
  defaultResidentAdapters,
  type LlamaCppOptions,
  maxAdapters,
} from './model/options.ts';
import { startFailure } from './model/start-failure.ts';
import { checkNative } from './native.ts';
import { EventChannel } from './output/event-channel.ts';
import { planRequest, promptTokens } from './plan-request.ts';
import { PromptPace } from './sequences/prompt-pace.ts';
import type { SequencePool } from './sequences/sequence-pool.ts';

/** Loads a GGUF model and its initial adapters; throws EngineStartFailed if that is impossible. */
export async function startLlamaCpp(options: LlamaCppOptions): Promise<LanguageEngine> {
  const loaded = await loadModel(options);
  try {
    const parallel = options.parallel ?? defaultParallel;
    const resident = options.residentAdapters ?? defaultResidentAdapters;
    const contexts = await Contexts.create({
      loaded,
      parallel,
      resident,
      availableMemory: options.availableMemory,
    });
    const sequence = contexts.base.sequences[0]?.sequence;
    if (sequence) checkNative(loaded.model, contexts.base.context, sequence);
    const engine = new LlamaCppEngine(loaded, contexts, parallel);
    for (const [name, path] of Object.entries(options.adapters ?? {})) await engine.loadAdapter(name, path);
    return engine;
  } catch (error) {
    await loaded.dispose();
    throw await startFailure(options.modelPath, error, '');
  }
}

class LlamaCppEngine implements LanguageEngine {
  readonly kind = 'language';
  readonly facts: EngineFacts;
  readonly #loaded: LoadedModel;
  readonly #contexts: Contexts;
  readonly #parallel: number;
  readonly #pace = new PromptPace();
  readonly #adapters = new Map<string, string>();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #closed: Promise<void> | undefined;

  constructor(loaded: LoadedModel, contexts: Contexts, parallel: number) {
    this.#loaded = loaded;
    this.#contexts = contexts;
    this.#parallel = parallel;
    this.facts = modelFacts(loaded);
  }

  adapters(): string[] {
    return [...this.#adapters.keys()];
  }

  async loadAdapter(name: string, path: string): Promise<void> {
    const file = resolve(path);
    const present = this.#adapters.get(name);
    if (present === file) return;
    if (present !== undefined) throw new Conflict(`An adapter named '${name}' is already loaded.`);
    if (this.#adapters.size >= maxAdapters)
      throw new BadRequest(`This model already has ${maxAdapters} adapters, which is the maximum.`);
    await checkAdapter(this.#loaded.model, name, file);
    this.#adapters.set(name, file);
  }

  async unloadAdapter(name: string): Promise<void> {
    const path = this.#adapters.get(name);
    if (path === undefined) throw new NotFound('adapter', name);
    this.#adapters.delete(name);
    const stillNamed = [...this.#adapters.values()].includes(path);
    if (!stillNamed) await this.#contexts.drop(path);
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    if (this.#closed) throw new Unavailable('The model is being unloaded.');
    const adapter = this.#adapterPath(request.adapter);
    const leaving = new AbortController();
    const stop = AbortSignal.any([signal, leaving.signal, this.#closing.signal]);
    const plan = await planRequest(this.#loaded, request, stop);
    const channel = new EventChannel<GenerationEvent>();
    const run = (pool: SequencePool) => this.#run(pool, plan, channel, stop);
    const running = (
      adapter === undefined ? run(this.#contexts.base) : this.#contexts.withAdapter(adapter, stop, run)
    )
      .then(
        () => channel.end(),
        (error) => channel.fail(error),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    try {
      yield* channel.read();
    } finally {
      leaving.abort();
    }
  }

  async tokenize(
    prompt: Prompt,
    signal?: AbortSignal,
    { special = true }: { special?: boolean } = {},
  ): Promise<number[]> {
    const tokens = await promptTokens(this.#loaded, prompt, signal);
    const { beginning } = this.#loaded.vocabulary;
    const isAdded = prompt.kind === 'text' && beginning !== undefined && tokens[0] === beginning;
    return !special && isAdded ? tokens.slice(1) : tokens;
  }

  tokenizerInfo(): Record<string, unknown> {
    return this.#loaded.tokenizerInfo;
  }

  detokenize(tokens: readonly number[]): string {
    return Buffer.concat(tokens.map((token) => this.#loaded.tokenBytes.of(token))).toString('utf8');
  }

  status(): EngineStatus {
    const { pools } = this.#contexts;
    const sum = (value: (pool: SequencePool) => number) =>
      pools.reduce((total, pool) => total + value(pool), 0);
    const room = sum((pool) => pool.sequences.length) * this.#loaded.contextLength;
    const running = sum((pool) => pool.running);
    return {
      running,
      // Requests waiting for a sequence or for their adapter's context.
      waiting: Math.max(0, this.#running.size - running),
      parallel: this.#parallel,
      kvCacheUsage: room === 0 ? 0 : sum((pool) => pool.heldTokens) / room,
      memoryBytes: this.#loaded.model.memoryUsage.ram + sum((pool) => pool.context.memoryUsage.ram),
    };
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort(new Unavailable('The model is being unloaded.'));
      await Promise.allSettled(this.#running);
      await this.#contexts.dispose();
      await this.#loaded.dispose();
    })();
    return this.#closed;
  }

  #run(
    pool: SequencePool,
    plan: GenerationPlan,
    channel: EventChannel<GenerationEvent>,
    signal: AbortSignal,
  ) {
    const place = { loaded: this.#loaded, pool, pace: this.#pace };
    return runGeneration(place, plan, (event) => channel.push(event), signal);
  }

  #adapterPath(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    const path = this.#adapters.get(name);
    if (path === undefined) throw new NotFound('adapter', name, { code: 'model_not_found', param: 'model' });
    return path;
  }
}
