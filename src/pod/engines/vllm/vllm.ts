import type { UpstreamEngine } from '../../engine.ts';
import { startServer } from '../server/server-engine.ts';
import type { Phase, ServerKind, ServerOptions } from '../server/server-kind.ts';
import { checkAdapter, vllmArguments, vllmEnvironment } from './command-line.ts';
import { explainVllm } from './explain.ts';
import { vllmStatus } from './metrics.ts';

const phases: Phase[] = [
  { pattern: /version \d+\.\d+/, text: 'vLLM is starting', share: 0.05 },
  { pattern: /Resolved architecture/, text: 'the model is recognised', share: 0.15 },
  { pattern: /Initializing a V1 LLM engine/, text: 'the engine is being set up', share: 0.25 },
  { pattern: /Starting to load model/, text: 'the weights are being loaded', share: 0.4 },
  { pattern: /checkpoint shards: +(\d+)%/, text: 'the weights are being loaded', share: 0.4, spread: 0.35 },
  { pattern: /Loading weights took|Model loading took/, text: 'the weights are loaded', share: 0.77 },
  {
    pattern: /Dynamo bytecode transform|Compiling a graph|torch\.compile takes/,
    text: 'the model is being compiled',
    share: 0.8,
  },
  { pattern: /KV cache size/, text: 'the cache is allocated', share: 0.85 },
  { pattern: /Capturing CUDA graph\D*(\d+)%/, text: 'graphs are being captured', share: 0.86, spread: 0.08 },
  { pattern: /init engine \(/, text: 'the engine is warm', share: 0.95 },
  { pattern: /Application startup complete/, text: 'the server listens', share: 1 },
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
