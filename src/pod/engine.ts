/**
 * The interface between a pod and an engine. The pod's server converts OpenAI requests into these calls, and these
 * events into OpenAI responses; an engine knows no HTTP. Rejections are problems from `contracts/problems.ts`, thrown
 * by the call or, in a generation, by the first step of its iteration.
 */

export type Engine = LanguageEngine | EmbeddingEngine | RerankEngine | UpstreamEngine;

interface EngineBase {
  readonly facts: EngineFacts;
  status(): EngineStatus;
  /** The content of a `tokenizer_config.json`: special tokens, chat template. Undefined if there is none. */
  tokenizerInfo?(): Record<string, unknown> | undefined;
  /** Stops running requests (each generation ends with an error) and frees the memory. May be called twice. */
  close(): Promise<void>;
}

export interface EngineFacts {
  /** The engine's name, as given to `--engine`. */
  engine: string;
  /** Maximum number of tokens of prompt and answer together; undefined if unknown. */
  contextLength?: number;
  vocabularySize?: number;
  /** Length of an embedding vector. */
  dimensions?: number;
  architecture?: string;
  quantization?: string;
  parameters?: number;
  /** Size of the weights in bytes. */
  weightBytes?: number;
}

export interface EngineStatus {
  running: number;
  waiting: number;
  /** Maximum number of concurrent requests. */
  parallel: number;
  /** Fraction of the KV cache in use, 0 to 1. */
  kvCacheUsage?: number;
  /** Estimated memory of the engine outside the JavaScript heap, in bytes. */
  memoryBytes?: number;
  /** Device memory in bytes, if known. */
  gpuMemoryBytes?: number;
  /** Counters of the server behind the pod, summed over its restarts. */
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
  /** Names of all adapters that can be requested, whether loaded yet or not. */
  adapters(): string[];
  /** Throws Conflict if the name is used for another file, or BadRequest if the file does not fit the model. */
  loadAdapter(name: string, path: string): Promise<void>;
  /** Throws NotFound if there is no such adapter. Running generations that use it finish first. */
  unloadAdapter(name: string): Promise<void>;
  /**
   * Generates one answer. Nothing runs before the first `next()`. Returning early or aborting the signal frees the
   * sequence at once; an abort rejects with the signal's reason. For `n` answers call it `n` times: equal prompts
   * share their cache.
   */
  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  /**
   * The tokens that `generate` would evaluate for this prompt, including template and special tokens. `special: false`
   * leaves out those that a text does not contain itself.
   */
  tokenize(prompt: Prompt, signal?: AbortSignal, options?: { special?: boolean }): Promise<number[]>;
  detokenize(tokens: readonly number[]): string;
}

export interface GenerationRequest {
  prompt: Prompt;
  /** Name of an adapter; if absent, the base model. */
  adapter?: string;
  /** Maximum number of new tokens; if absent, as many as fit in the context. At least 1, or 0 with `echo`. */
  maxTokens?: number;
  /** Number of tokens before which neither the model nor a stop text may end the answer. A grammar still may. */
  minTokens?: number;
  /** Stop texts. The answer ends before the first one, which is not part of it. */
  stop?: string[];
  sampling?: Sampling;
  constraint?: Constraint;
  /** Return the log-probability of each chosen token and of this many of the most likely alternatives. */
  logprobs?: number;
  /** Return log-probabilities for the prompt's tokens too, with as many alternatives as `logprobs`. */
  promptLogprobs?: boolean;
  /** Continue past the end-of-sequence token until `maxTokens`. */
  ignoreEos?: boolean;
}

export type Prompt =
  | ({
      kind: 'chat';
      messages: ChatMessage[];
      tools?: ToolDefinition[];
      toolChoice?: ToolChoice;
      /** If false, at most one call per answer. Default true. */
      parallelToolCalls?: boolean;
    } & TemplateOptions)
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokens: number[] };

interface TemplateOptions {
  /** Additional variables for the chat template (`enable_thinking`, …). */
  templateArguments?: Record<string, unknown>;
  /** If false, the prompt does not open the assistant's turn. Default true. */
  addGenerationPrompt?: boolean;
}

/** OpenAI's message. Only content parts of type text are accepted. */
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

/** Like OpenAI's `tool_choice`. Absent means `auto` if there are tools. `allowed` names a subset of the tools. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { name: string }
  | { allowed: string[]; mode: 'auto' | 'required' };

/** Absent fields have OpenAI's defaults: temperature 1, top_p 1, no penalties, a random seed. */
export interface Sampling {
  /** 0 always picks the most likely token. */
  temperature?: number;
  topP?: number;
  topK?: number;
  minP?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** 1 has no effect; higher values make tokens of the prompt and the answer less likely. */
  repetitionPenalty?: number;
  /** Token id → −100..100, added to its logit. */
  logitBias?: Record<number, number>;
}

/** Constraint on the answer's text. Not allowed with tools that are `required` or named. */
export type Constraint =
  | { kind: 'json' }
  | { kind: 'json-schema'; schema: unknown }
  | { kind: 'grammar'; gbnf: string };

export type GenerationEvent =
  /** First event, sent once: the prompt has been evaluated. */
  | { kind: 'prompt'; tokens: number; cachedTokens: number; logprobs?: TokenLogprob[] }
  /**
   * A piece of the answer in whole characters. A token that ends inside a character has its logprob but no text yet.
   */
  | { kind: 'text'; text: string; logprobs?: TokenLogprob[] }
  /** A tool call. Its arguments follow as pieces of JSON text. Indexes start at 0. */
  | { kind: 'tool-call'; index: number; name: string }
  | { kind: 'tool-arguments'; index: number; text: string }
  /** Last event, sent once. */
  | { kind: 'end'; reason: 'stop' | 'length' | 'tool_calls'; stopText?: string; usage: GenerationUsage };

export interface GenerationUsage {
  promptTokens: number;
  /** All generated tokens, including the one that ended the answer. */
  completionTokens: number;
  /** Prompt tokens reused from the cache. */
  cachedTokens: number;
}

/** Log-probabilities from the model's own distribution, before temperature, penalties, bias and grammar. */
export interface TokenLogprob extends LikelyToken {
  top: LikelyToken[];
}

export interface LikelyToken {
  id: number;
  /** The token as text; incomplete characters are shown as U+FFFD. */
  token: string;
  bytes: number[];
  /** Null for the first token of a prompt, which has no predecessor. */
  logprob: number | null;
}

// ---- Embeddings and reranking -----------------------------------------------------------------------------------

/** The tokenizer of a model without a chat template. */
export interface TextTokenizer {
  /** With `special`, the tokens that the model puts around a text are included. */
  encode(text: string, special: boolean): Promise<number[]>;
  decode(sequences: readonly (readonly number[])[]): Promise<string[]>;
}

export interface EmbeddingEngine extends EngineBase {
  readonly kind: 'embedding';
  readonly tokenizer?: TextTokenizer;
  /** Returns one vector per input, in order. An input is text or token ids. */
  embed(inputs: (string | number[])[], options: EmbeddingOptions, signal: AbortSignal): Promise<Embeddings>;
}

export interface EmbeddingOptions {
  /** Shorten the vectors to this many dimensions; BadRequest if the model does not support it. */
  dimensions?: number;
  /** Selects one of the model's prefixes; if absent, the default one, if any. */
  purpose?: 'query' | 'document';
  /** Truncate inputs that are too long instead of rejecting them. */
  truncate?: boolean;
}

export interface Embeddings {
  vectors: Float32Array[];
  /** Total tokens of all inputs, including special tokens. */
  promptTokens: number;
}

export interface RerankEngine extends EngineBase {
  readonly kind: 'rerank';
  readonly tokenizer?: TextTokenizer;
  /** Returns one score from 0 to 1 per document, in order; higher is more relevant. */
  score(
    query: string,
    documents: string[],
    signal: AbortSignal,
  ): Promise<{ scores: number[]; promptTokens: number }>;
}

// ---- External servers -------------------------------------------------------------------------------------------

/** A server that already speaks OpenAI's API. The pod passes requests and responses through. */
export interface UpstreamEngine extends EngineBase {
  readonly kind: 'upstream';
  /** Without `/v1`. */
  readonly baseUrl: string;
  /** Sent with each request (for example a key); never logged. */
  readonly headers: Record<string, string>;
  /** The server's own name for the model that the pod serves as `name`. */
  upstreamModel(name: string): string;
  /** Additional body fields for requests for `name`, for servers that select adapters this way. */
  bodyFields(name: string): Record<string, unknown>;
  adapters(): string[];
  loadAdapter(name: string, path: string): Promise<void>;
  unloadAdapter(name: string): Promise<void>;
  state(): UpstreamState;
  /** Resolves with the reason when the server has ended for good; stays pending while it runs or is restarted. */
  readonly gone: Promise<string>;
}

export interface UpstreamState {
  /** False while it is restarting or unreachable: requests would fail. */
  ready: boolean;
  /** Describes what it is doing or what is wrong. */
  text: string;
  /** Number of restarts. */
  restarts: number;
  /** If the pod runs the server itself: leader of the server's process group. */
  processId?: number;
}

// ---- Start ------------------------------------------------------------------------------------------------------

export type StartFailure = 'missing-file' | 'corrupt-file' | 'out-of-memory' | 'unsupported' | 'failed';

/** The engine can't start, for a reason that the operator can act on. The pod reports it with `dead`. */
export class EngineStartFailed extends Error {
  readonly failure: StartFailure;

  constructor(failure: StartFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineStartFailed';
    this.failure = failure;
  }
}
