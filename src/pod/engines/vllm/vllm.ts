import type { UpstreamEngine } from '../../engine.ts';
import { startServer } from '../server/server-engine.ts';
import type { Phase, ServerKind, ServerOptions } from '../server/server-kind.ts';
import { checkAdapter, vllmArguments, vllmEnvironment } from './command-line.ts';
import { explainVllm } from './explain.ts';
import { vllmStatus } from './metrics.ts';

const phases: Phase[] = [
  { pattern: /version \d+\.\d+/, text: 'vLLM is starting', share: 0.05 },
  { pattern: /Resolved architecture/, text: 'model recognised', share: 0.15 },
  { pattern: /Initializing a V1 LLM engine/, text: 'initialising the engine', share: 0.25 },
  { pattern: /Starting to load model/, text: 'loading the weights', share: 0.4 },
  { pattern: /checkpoint shards: +(\d+)%/, text: 'loading the weights', share: 0.4, spread: 0.35 },
  { pattern: /Loading weights took|Model loading took/, text: 'weights loaded', share: 0.77 },
  {
    pattern: /Dynamo bytecode transform|Compiling a graph|torch\.compile takes/,
    text: 'compiling the model',
    share: 0.8,
  },
  { pattern: /KV cache size/, text: 'KV cache allocated', share: 0.85 },
  { pattern: /Capturing CUDA graph\D*(\d+)%/, text: 'capturing CUDA graphs', share: 0.86, spread: 0.08 },
  { pattern: /init engine \(/, text: 'engine warmed up', share: 0.95 },
  { pattern: /Application startup complete/, text: 'the server is listening', share: 1 },
];

export const vllm: ServerKind = {
  name: 'vllm',
  title: 'vLLM',
  program: 'vllm',
  args: vllmArguments,
  environment: vllmEnvironment,
  phases,
  explain: explainVllm,
  status: vllmStatus,
  defaultParallel: 256,
  checkAdapter,
  live: {
    possible: (started) => started.length > 0,
    load: (upstream, { name, path }) =>
      upstream.post(
        '/v1/load_lora_adapter',
        { lora_name: name, lora_path: path },
        { kind: 'adapter', id: name },
      ),
    unload: (upstream, { name }) =>
      upstream.post('/v1/unload_lora_adapter', { lora_name: name }, { kind: 'adapter', id: name }),
  },
  bodyFields: () => ({}),
  upstreamModel: (servedModelName, adapter) => adapter ?? servedModelName,
};

export function startVllm(options: ServerOptions): Promise<UpstreamEngine> {
  return startServer(vllm, options);
}
