/**
 * What a pod asks of an engine. The pod's server turns OpenAI's requests into these calls and these events back
 * into OpenAI's shapes; an engine knows no HTTP. Refusals are problems from `contracts/problems.ts`, thrown by the
 * call itself or, in a generation, by the first step of its iteration.
 */

export type Engine = LanguageEngine | EmbeddingEngine | RerankEngine | UpstreamEngine;

interface EngineBase {
  readonly facts: EngineFacts;
  status(): EngineStatus;
  /** Stops what runs (each generation ends with an error) and frees the memory. Safe to call twice. */
  close(): Promise<void>;
}

export interface EngineFacts {
  /** The engine's name, as `--engine` takes it. */
  engine: string;
  /** Most tokens of prompt and answer together; undefined where the engine does not say. */
  contextLength?: number;
  vocabularySize?: number;
  /** Length of a vector, for embeddings. */
  dimensions?: number;
  architecture?: string;
  quantization?: string;
  parameters?: number;
  /** Bytes of the weights. */
  weightBytes?: number;
}

export interface EngineStatus {
  running: number;
  waiting: number;
  /** Requests that may run at the same time. */
  parallel: number;
  /** Share of the key-value cache in use, 0..1. */
  kvCacheUsage?: number;
  /** Bytes that the engine believes it holds outside of JavaScript. */
  memoryBytes?: number;
  /** Device memory, where the engine knows it. */
  gpuMemoryBytes?: number;
  /** What a server behind the pod counted itself, over all its restarts. */
  counted?: EngineCounters;
}

export interface EngineCounters {
  requests?: number;
  promptTokens?: number;
  completionTokens?: number;
  /** Means in milliseconds. */
  timeToFirstToken?: number;
  timePerOutputToken?: number;
  latency?: number;
}

// ---- Text generation ------------------------------------------------------------------------------------------

export interface LanguageEngine extends EngineBase {
  readonly kind: 'language';
  /** The names by which adapters can be asked for, loaded lazily or not. */
  adapters(): string[];
  /** Conflict if the name is taken by another file, BadRequest with the reason if the file does not fit the model. */
  loadAdapter(name: string, path: string): Promise<void>;
  /** NotFound if there is none of that name. Generations that use it run to their end first. */
  unloadAdapter(name: string): Promise<void>;
  /**
   * Generates one answer. Nothing runs before the first `next()`; returning early or aborting the signal frees
   * the sequence at once (an abort rejects with the signal's reason). `n` answers are `n` calls: equal prompts share their cache.
   */
  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  /** The tokens that `generate` would evaluate for this prompt, template and special tokens included. */
  tokenize(prompt: Prompt, signal?: AbortSignal): Promise<number[]>;
  detokenize(tokens: readonly number[]): string;
}

export interface GenerationRequest {
  prompt: Prompt;
  /** Name of a loaded adapter; the base model without. */
  adapter?: string;
  /** At most so many new tokens; without it, as many as the context has room for. At least 1, except 0 with `echo`. */
  maxTokens?: number;
  /** The answer ends before the first of these texts, which is not part of it. */
  stop?: string[];
  sampling?: Sampling;
  constraint?: Constraint;
  /** Log-probabilities of each token chosen, and of so many of the likeliest beside it (0 = of the chosen alone). */
  logprobs?: number;
  /** The log-probabilities of the prompt's own tokens as well, with as many beside each as `logprobs` says. */
  promptLogprobs?: boolean;
  /** Go on past the end-of-answer token until `maxTokens`. */
  ignoreEos?: boolean;
}

export type Prompt =
  | ({
      kind: 'chat';
      messages: ChatMessage[];
      tools?: ToolDefinition[];
      toolChoice?: ToolChoice;
      /** False: at most one call in an answer. Default true. */
      parallelToolCalls?: boolean;
    } & TemplateOptions)
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokens: number[] };

interface TemplateOptions {
  /** More variables for the chat template (`enable_thinking`, …). */
  templateArguments?: Record<string, unknown>;
  /** False renders the conversation alone, without the opening of an answer. Default true. */
  addGenerationPrompt?: boolean;
}

/** OpenAI's message, content parts of type text included; others are refused. */
export interface ChatMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  name?: string;
  tool_calls?: { id?: string; type?: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  [extra: string]: unknown;
}

export interface ToolDefinition {
  type: 'function';
  function: {
    name: string;
    description?: string;
    parameters?: Record<string, unknown>;
    strict?: boolean | null;
  };
}

/** As OpenAI's `tool_choice`; absent means `auto` where there are tools. `allowed` names a part of the tools. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { name: string }
  | { allowed: string[]; mode: 'auto' | 'required' };

/** Absent fields take OpenAI's defaults: temperature 1, top_p 1, no penalties, a random seed. */
export interface Sampling {
  /** 0 takes the likeliest token each time. */
  temperature?: number;
  topP?: number;
  topK?: number;
  minP?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** 1 does nothing; above it, tokens of prompt and answer are made less likely. */
  repetitionPenalty?: number;
  /** Token id → −100..100, added to its logit. */
  logitBias?: Record<number, number>;
}

/** What the answer's text must look like. Not together with tools that are `required` or named. */
export type Constraint =
  | { kind: 'json' }
  | { kind: 'json-schema'; schema: unknown }
  | { kind: 'grammar'; gbnf: string };

export type GenerationEvent =
  /** Once, first: the prompt is evaluated. */
  | { kind: 'prompt'; tokens: number; cachedTokens: number; logprobs?: TokenLogprob[] }
  /** A piece of the answer, in whole characters: a token that ends inside of one has its logprob and no text yet. */
  | { kind: 'text'; text: string; logprobs?: TokenLogprob[] }
  /** The model calls a tool: its name is known, its arguments follow as pieces of JSON text. Index from 0. */
  | { kind: 'tool-call'; index: number; name: string }
  | { kind: 'tool-arguments'; index: number; text: string }
  /** Once, last. */
  | { kind: 'end'; reason: 'stop' | 'length' | 'tool_calls'; stopText?: string; usage: GenerationUsage };

export interface GenerationUsage {
  promptTokens: number;
  /** Every token the model made, the one that ended the answer included. */
  completionTokens: number;
  /** Prompt tokens that were not evaluated again. */
  cachedTokens: number;
}

/** The model's own distribution, before temperature, penalties, bias and grammar. */
export interface TokenLogprob extends LikelyToken {
  top: LikelyToken[];
}

export interface LikelyToken {
  id: number;
  /** The token alone as text; bytes that are no whole character read as U+FFFD. */
  token: string;
  bytes: number[];
  /** Null for a prompt's first token, which nothing precedes. */
  logprob: number | null;
}

// ---- Embeddings and reranking -----------------------------------------------------------------------------------

export interface EmbeddingEngine extends EngineBase {
  readonly kind: 'embedding';
  /** One vector for each input, in order. An input is text or token ids. */
  embed(inputs: (string | number[])[], options: EmbeddingOptions, signal: AbortSignal): Promise<Embeddings>;
}

export interface EmbeddingOptions {
  /** Shorten the vectors to so many dimensions, where the model allows it; BadRequest where not. */
  dimensions?: number;
  /** Which of the model's prefixes applies; without it the default one, if any. */
  purpose?: 'query' | 'document';
  /** Cut inputs that are too long, instead of refusing them. */
  truncate?: boolean;
}

export interface Embeddings {
  vectors: Float32Array[];
  /** Tokens of all inputs together, special ones included. */
  promptTokens: number;
}

export interface RerankEngine extends EngineBase {
  readonly kind: 'rerank';
  /** One score for each document, in order, higher is more relevant, 0..1. */
  score(
    query: string,
    documents: string[],
    signal: AbortSignal,
  ): Promise<{ scores: number[]; promptTokens: number }>;
}

// ---- Servers of others ------------------------------------------------------------------------------------------

/** A server that already speaks OpenAI's API: the pod passes requests and answers through. */
export interface UpstreamEngine extends EngineBase {
  readonly kind: 'upstream';
  /** Without `/v1`. */
  readonly baseUrl: string;
  /** Sent with each request (a key, for instance); never logged. */
  readonly headers: Record<string, string>;
  /** The name the server itself knows a model by, for one the pod serves under `name`. */
  upstreamModel(name: string): string;
  /** Fields to set in the body of a request for `name`, beside the model: where the server chooses adapters so. */
  bodyFields(name: string): Record<string, unknown>;
  adapters(): string[];
  loadAdapter(name: string, path: string): Promise<void>;
  unloadAdapter(name: string): Promise<void>;
  state(): UpstreamState;
  /** Settles when the server behind is gone for good; the text says why. Never, while it lives or is restarted. */
  readonly gone: Promise<string>;
}

export interface UpstreamState {
  /** False while it is started again, or can't be reached: requests would fail. */
  ready: boolean;
  /** What it is doing or what is wrong, in words. */
  text: string;
  /** Starts after the first one. */
  restarts: number;
  /** Where the pod runs the server itself: leader of the process group that holds its memory. */
  processId?: number;
}

// ---- Start ------------------------------------------------------------------------------------------------------

export type StartFailure = 'missing-file' | 'corrupt-file' | 'out-of-memory' | 'unsupported' | 'failed';

/** The engine can't start, for a reason the operator can read and act on. The pod reports `dead` with it. */
export class EngineStartFailed extends Error {
  readonly failure: StartFailure;

  constructor(failure: StartFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineStartFailed';
    this.failure = failure;
  }
}
