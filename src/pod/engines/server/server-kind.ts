import type { EngineStatus, StartFailure } from '../../engine.ts';
import type { ChildEnd } from './child-group.ts';
import type { Upstream } from './upstream.ts';

export interface Adapter {
  name: string;
  path: string;
}

/** Options for any server that a pod starts. */
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
  /** Number of GPUs over which to divide the model. */
  tensorParallel?: number;
  /** The GPUs that CUDA_VISIBLE_DEVICES names. */
  gpuIds?: string;
  threads?: number;
  /** Maximum number of concurrent requests. */
  parallel?: number;
  /** The program with leading arguments; if absent, it is searched on the PATH. */
  command?: string;
  /** Additional command-line arguments for the server. */
  extraArguments?: string[];
  environment: NodeJS.ProcessEnv;
  /** Called with each line that the server writes. */
  log(line: string): void;
  onProgress?(progress: Progress): void;
  timing?: Partial<ServerTiming>;
}

export interface ServerTiming {
  /** Maximum duration of a start in milliseconds; weights may be on a slow disk. */
  start: number;
  /** Interval between health checks. */
  watch: number;
  /** Timeout of a health check. */
  answer: number;
  /** Number of consecutive failed health checks after which the server is killed and restarted. */
  misses: number;
  /** Delay before the first restart; doubles each time, up to `maxPause`. */
  pause: number;
  maxPause: number;
  /** Number of consecutive failed restarts after which the engine gives up. */
  failures: number;
  /** Time between SIGTERM and SIGKILL. */
  stop: number;
}

export interface Progress {
  text: string;
  /** 0..1 */
  share: number;
}

/** A log line that shows the progress of a start. */
export interface Phase {
  pattern: RegExp;
  text: string;
  share: number;
  /** If the pattern's first group is a percentage: how much it adds to `share` at 100. */
  spread?: number;
}

export interface Cause {
  failure: StartFailure;
  /** The end of a sentence such as "vLLM could not start: …". */
  message: string;
}

/** What differs between the servers that a pod can run. */
export interface ServerKind {
  name: string;
  title: string;
  /** Name of the program on the PATH. */
  program: string;
  /** Throws EngineStartFailed for options that the server does not support. */
  args(options: ServerOptions, adapters: Adapter[], port: number): string[];
  environment(options: ServerOptions, key: string): Record<string, string>;
  phases: Phase[];
  explain(lines: string[], end: ChildEnd): Cause;
  /** Status from the server's metrics. */
  status(samples: Map<string, number>): Omit<EngineStatus, 'parallel'>;
  /** Number of concurrent requests if the options don't set it. */
  defaultParallel: number;
  checkAdapter(adapter: Adapter): void;
  /** Absent if the server can't load adapters while running; then it is restarted with the new list. */
  live?: {
    /** False if the server was started without adapters and can't load any. */
    possible(started: Adapter[]): boolean;
    load(upstream: Upstream, adapter: Adapter): Promise<void>;
    unload(upstream: Upstream, adapter: Adapter): Promise<void>;
  };
  /** Body fields that select an adapter. `started` are the adapters passed at start. */
  bodyFields(started: Adapter[], adapter: string | undefined): Record<string, unknown>;
  /** The server's model name for requests for an adapter. */
  upstreamModel(servedModelName: string, adapter: string | undefined): string;
}
