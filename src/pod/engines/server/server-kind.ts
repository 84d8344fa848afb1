import type { EngineStatus, StartFailure } from '../../engine.ts';
import type { ChildEnd } from './child-group.ts';
import type { Upstream } from './upstream.ts';

export interface Adapter {
  name: string;
  path: string;
}

/** What a pod asks of a server that it starts, whichever it is. */
export interface ServerOptions {
  task: 'llm' | 'embeddings' | 'rerank';
  /** A folder, a file, or an id that the server resolves itself. */
  model: string;
  servedModelName: string;
  adapters?: Adapter[];
  dtype?: string;
  quantization?: string;
  maxModelLen?: number;
  gpuMemoryUtilization?: number;
  threads?: number;
  /** Requests that may run at the same time. */
  parallel?: number;
  /** The program, with arguments that come before ours; found on the PATH without. */
  command?: string;
  /** More of its own flags, passed on as they are. */
  extraArguments?: string[];
  environment: NodeJS.ProcessEnv;
  /** Each line that the server writes: to be kept. */
  log(line: string): void;
  onProgress?(progress: Progress): void;
  timing?: Partial<ServerTiming>;
}

export interface ServerTiming {
  /** Milliseconds that a start may take: weights may come over a slow disk. */
  start: number;
  /** Between looks at its health and its metrics. */
  watch: number;
  /** An answer about its health takes no longer, or it counts as none. */
  answer: number;
  /** Looks in a row without an answer, after which it is killed and started again. */
  misses: number;
  /** Before the first restart; doubled each time, up to `longestPause`. */
  pause: number;
  longestPause: number;
  /** Failures in a row after which it is given up. */
  failures: number;
  /** Between the request to end and the kill. */
  stop: number;
}

export interface Progress {
  text: string;
  /** 0..1 */
  share: number;
}

/** A line of the log that says how far the start has come. */
export interface Phase {
  pattern: RegExp;
  text: string;
  share: number;
  /** With a percentage as the pattern's first group: how far `share` moves until it is 100. */
  spread?: number;
}

export interface Cause {
  failure: StartFailure;
  /** A sentence's end, as in "vLLM could not start: …". */
  words: string;
}

/** All that differs between the servers a pod can drive. */
export interface ServerKind {
  name: string;
  title: string;
  /** Name of the program on the PATH. */
  program: string;
  /** Refuses, with EngineStartFailed, what this server can't do. */
  args(options: ServerOptions, adapters: Adapter[], port: number): string[];
  environment(options: ServerOptions, key: string): Record<string, string>;
  phases: Phase[];
  explain(lines: string[], end: ChildEnd): Cause;
  /** What its metrics say. */
  status(samples: Map<string, number>): Omit<EngineStatus, 'parallel'>;
  /** Requests at the same time, where the options do not say. */
  defaultParallel: number;
  checkAdapter(adapter: Adapter): void;
  /** Absent where it can't while it runs: then it is started again with the new list. */
  live?: {
    /** False where it was started without adapters and can take none. */
    possible(started: Adapter[]): boolean;
    load(upstream: Upstream, adapter: Adapter): Promise<void>;
    unload(upstream: Upstream, adapter: Adapter): Promise<void>;
  };
  /** Of the adapters it was started with. */
  bodyFields(started: Adapter[], adapter: string | undefined): Record<string, unknown>;
  /** The name that the server itself has for an adapter's requests. */
  upstreamModel(servedModelName: string, adapter: string | undefined): string;
}
