import { type Engine, EngineStartFailed } from './engine.ts';
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
  /** More flags for a server that is started, as they are. */
  extra_arguments?: string[] | undefined;
  onProgress: (text: string) => void;
}

type Starter = (options: EngineOptions) => Promise<Engine>;

/** Each engine is loaded only when it is the one asked for: they bring large native libraries. */
const starters: Record<string, Starter> = {
  async llamacpp(options) {
    if (options.task !== 'llm') throw wrongTask('llamacpp', options.task);
    const { startLlamaCpp } = await import('./engines/llamacpp/engine.ts');
    return startLlamaCpp({
      modelPath: findGguf(options.model, options.quantization ?? options.dtype),
      adapters: Object.fromEntries(options.adapters.map(({ name, path }) => [name, path])),
      ...present('contextLength', options.max_model_len),
      ...present('threads', options.threads),
      ...present('parallel', options.parallel),
      onProgress: (share) => options.onProgress(`loading the weights: ${Math.round(share * 100)} %`),
    });
  },
  async onnx(options) {
    if (options.adapters.length > 0) {
      throw new EngineStartFailed('unsupported', 'The onnx engine serves no adapters.');
    }
    const settings = {
      model: options.model,
      ...present('dtype', options.quantization ?? options.dtype),
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
};

export const engineNames = Object.keys(starters);

export function startEngine(options: EngineOptions): Promise<Engine> {
  const start = starters[options.engine];
  if (start) return start(options);
  throw new EngineStartFailed(
    'unsupported',
    `There is no engine '${options.engine}': choose from ${engineNames.join(', ')}.`,
  );
}

function wrongTask(engine: string, task: string): EngineStartFailed {
  return new EngineStartFailed('unsupported', `The ${engine} engine does not serve the task '${task}'.`);
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
