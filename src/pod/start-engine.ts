import { type Engine, EngineStartFailed } from './engine.ts';
import type { ServerOptions } from './engines/server/server-kind.ts';
import { findGguf } from './find-gguf.ts';

export interface EngineOptions {
  engine: string;
  task: string;
  /** A folder or a file; for an attached server, its address. */
  model: string;
  served_model_name: string;
  adapters: { name: string; path: string }[];
  dtype?: string | undefined;
  quantization?: string | undefined;
  max_model_len?: number | undefined;
  threads?: number | undefined;
  parallel?: number | undefined;
  gpu_memory_utilization?: number | undefined;
  /** Number of GPUs over which a server divides the model. */
  tensor_parallel?: number | undefined;
  /** The GPUs that CUDA_VISIBLE_DEVICES leaves to this process. */
  gpu_id?: string | undefined;
  /** Program of a server that the pod starts, if it is not the default one on the PATH. */
  engine_command?: string | undefined;
  /** Additional command-line arguments for a server that the pod starts. */
  extra_arguments?: string[] | undefined;
  /** The key of an attached server. */
  upstream_key?: string | undefined;
  /** Environment for servers that the pod starts. */
  environment: Record<string, string | undefined>;
  /** Called with each line that a started server writes. */
  log: (line: string) => void;
  onProgress: (text: string) => void;
}

type Starter = (options: EngineOptions) => Promise<Engine>;

/** Engines are imported on demand because they load large native libraries. */
const starters: Record<string, Starter> = {
  async llamacpp(options) {
    if (options.task !== 'llm') throw wrongTask('llamacpp', options.task);
    const { startLlamaCpp } = await import('./engines/llamacpp/engine.ts');
    return startLlamaCpp({
      modelPath: findGguf(options.model, precisionOf(options)),
      adapters: Object.fromEntries(options.adapters.map(({ name, path }) => [name, path])),
      ...present('contextLength', options.max_model_len),
      ...present('threads', options.threads),
      ...present('parallel', options.parallel),
      ...present('gpuMemoryUtilization', options.gpu_memory_utilization),
      onProgress: (share) => options.onProgress(`loading the weights: ${Math.round(share * 100)} %`),
    });
  },
  async onnx(options) {
    if (options.adapters.length > 0) {
      throw new EngineStartFailed('unsupported', 'The onnx engine does not support adapters.');
    }
    const settings = {
      model: options.model,
      ...present('dtype', precisionOf(options)),
      ...present('maxModelLen', options.max_model_len),
      ...present('threads', options.threads),
    };
    options.onProgress('loading the model');
    if (options.task === 'embeddings') {
      return (await import('./engines/onnx/embedding-engine.ts')).startOnnxEmbeddings(settings);
    }
    if (options.task === 'rerank')
      return (await import('./engines/onnx/rerank-engine.ts')).startOnnxRerank(settings);
    throw wrongTask('onnx', options.task);
  },
  async vllm(options) {
    return (await import('./engines/vllm/vllm.ts')).startVllm(serverOptions(options));
  },
  async 'llama-server'(options) {
    const model = options.model.endsWith('.gguf')
      ? options.model
      : findGguf(options.model, precisionOf(options));
    return (await import('./engines/llama-server/llama-server.ts')).startLlamaServer(
      serverOptions({ ...options, model }),
    );
  },
  async openai(options) {
    // `http://server:8000/v1#model` selects one of the server's models.
    const [baseUrl = '', model] = options.model.split('#');
    if (!/^https?:\/\//.test(baseUrl)) {
      throw new EngineStartFailed(
        'unsupported',
        'For the openai engine, the model must be the address of a server.',
      );
    }
    const { attachOpenai } = await import('./engines/openai/attach-openai.ts');
    return attachOpenai({
      baseUrl,
      servedModelName: options.served_model_name,
      ...present('model', model),
      ...present('key', options.upstream_key),
    });
  },
};

const precisionOf = ({ quantization, dtype }: EngineOptions) => quantization ?? dtype;

function serverOptions(options: EngineOptions): ServerOptions {
  return {
    task: options.task as ServerOptions['task'],
    model: options.model,
    servedModelName: options.served_model_name,
    adapters: options.adapters,
    ...present('dtype', options.dtype),
    ...present('quantization', options.quantization),
    ...present('maxModelLen', options.max_model_len),
    ...present('gpuMemoryUtilization', options.gpu_memory_utilization),
    ...present('tensorParallel', options.tensor_parallel),
    ...present('gpuIds', options.gpu_id),
    ...present('threads', options.threads),
    ...present('parallel', options.parallel),
    ...present('command', options.engine_command),
    ...present('extraArguments', options.extra_arguments),
    environment: options.environment,
    log: options.log,
    onProgress: ({ text, share }) => options.onProgress(`${text}: ${Math.round(share * 100)} %`),
  };
}

/** Engines that are separate servers, whose responses are passed through unchanged. */
const upstream = ['vllm', 'llama-server', 'openai'];

export const isUpstream = (engine: string) => upstream.includes(engine);

export function startEngine(options: EngineOptions): Promise<Engine> {
  const start = starters[options.engine];
  if (start) return start(options);
  throw new EngineStartFailed(
    'unsupported',
    `Unknown engine '${options.engine}'. Choose one of ${Object.keys(starters).join(', ')}.`,
  );
}

function wrongTask(engine: string, task: string): EngineStartFailed {
  return new EngineStartFailed('unsupported', `The ${engine} engine does not support the task '${task}'.`);
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
