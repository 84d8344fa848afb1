import { closeSync, openSync, readSync } from 'node:fs';
import { BadRequest } from '../../../contracts/problems.ts';
import type { EngineStatus, UpstreamEngine } from '../../engine.ts';
import { startServer } from '../server/server-engine.ts';
import type { Adapter, Phase, ServerKind, ServerOptions } from '../server/server-kind.ts';
import { defaultParallel, llamaServerArguments } from './command-line.ts';
import { explainLlamaServer } from './explain.ts';

const phases: Phase[] = [
  { pattern: /initializing \.\.\./, text: 'llama-server is starting', share: 0.05 },
  { pattern: /load_model: loading model/, text: 'loading the weights', share: 0.2 },
  { pattern: /n_slots = \d+/, text: 'weights loaded', share: 0.9 },
  { pattern: /listening on/, text: 'the server is listening', share: 1 },
];

export const llamaServer: ServerKind = {
  name: 'llama-server',
  title: 'llama-server',
  program: 'llama-server',
  args: llamaServerArguments,
  environment: (_, key) => ({ LLAMA_API_KEY: key }),
  phases,
  explain: explainLlamaServer,
  status,
  defaultParallel,
  checkAdapter,
  // llama-server identifies adapters by number. All are listed, because omitted ones keep their initial scale.
  bodyFields: (started, adapter) =>
    started.length === 0
      ? {}
      : { lora: started.map(({ name }, id) => ({ id, scale: name === adapter ? 1 : 0 })) },
  upstreamModel: (servedModelName) => servedModelName,
};

export function startLlamaServer(options: ServerOptions): Promise<UpstreamEngine> {
  return startServer(llamaServer, options);
}

function status(samples: Map<string, number>): Omit<EngineStatus, 'parallel'> {
  const tokens = samples.get('llamacpp:tokens_predicted_total');
  const seconds = samples.get('llamacpp:tokens_predicted_seconds_total');
  const prompt = samples.get('llamacpp:prompt_tokens_total');
  return {
    running: samples.get('llamacpp:requests_processing') ?? 0,
    waiting: samples.get('llamacpp:requests_deferred') ?? 0,
    kvCacheUsage: samples.get('llamacpp:kv_cache_usage_ratio'),
    counted: {
      promptTokens:
        prompt === undefined ? undefined : prompt + (samples.get('llamacpp:prompt_tokens_cached_total') ?? 0),
      completionTokens: tokens,
      timePerOutputToken: tokens && seconds ? (seconds / tokens) * 1000 : undefined,
    },
  };
}

function checkAdapter({ name, path }: Adapter): void {
  if (path.includes(',')) throw new BadRequest(`adapter '${name}': the path must not contain a comma.`);
  if (!isGguf(path)) throw new BadRequest(`adapter '${name}': ${path} is not a GGUF file.`);
}

function isGguf(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    const magic = Buffer.alloc(4);
    readSync(file, magic);
    closeSync(file);
    return magic.toString('latin1') === 'GGUF';
  } catch {
    return false;
  }
}
