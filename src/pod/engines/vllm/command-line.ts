import { existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { BadRequest } from '../../../contracts/problems.ts';
import { EngineStartFailed } from '../../engine.ts';
import type { Adapter, ServerOptions } from '../server/server-kind.ts';

const floats = ['auto', 'float32', 'float16', 'bfloat16'];
const quantizations =
  /^(?:fp8|awq|gptq|awq_marlin|gptq_marlin|bitsandbytes|compressed-tensors|mxfp4|nvfp4|gguf)$/i;
/** Values that vLLM accepts for --max-lora-rank. */
const ranks = [8, 16, 32, 64, 128, 256, 320, 512];
/** Minimum rank, for adapters loaded later. vLLM reserves memory for this rank per adapter in use. */
const minRank = 16;
const maxAdapters = 20;
/** The folder of `roundhouse_key.py`. */
const middleware = join(import.meta.dirname, 'middleware');

export function vllmArguments(options: ServerOptions, adapters: Adapter[], port: number): string[] {
  const { dtype, quantization } = precision(options);
  const flags: [string, string | number | undefined][] = [
    ['--host', '127.0.0.1'],
    ['--port', port],
    ['--middleware', 'roundhouse_key.RequireKey'],
    ['--served-model-name', options.servedModelName],
    ['--dtype', dtype],
    ['--quantization', quantization],
    ['--max-model-len', options.maxModelLen],
    ['--gpu-memory-utilization', options.gpuMemoryUtilization],
    ['--tensor-parallel-size', options.tensorParallel],
    ['--max-num-seqs', options.parallel],
    ['--runner', options.task === 'llm' ? undefined : 'pooling'],
  ];
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
  return ['serve', options.model, ...given, ...adapterArguments(adapters)];
}

function adapterArguments(adapters: Adapter[]): string[] {
  if (adapters.length === 0) return [];
  return [
    '--enable-lora',
    '--max-lora-rank',
    String(maximumRank(adapters)),
    '--max-cpu-loras',
    String(maxAdapters),
    '--lora-modules',
    ...adapters.map(({ name, path }) => JSON.stringify({ name, path })),
  ];
}

export function vllmEnvironment(options: ServerOptions, key: string): Record<string, string> {
  return {
    VLLM_API_KEY: key,
    PYTHONPATH: [middleware, options.environment.PYTHONPATH].filter(Boolean).join(delimiter),
    VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
    ...(isAbsolute(options.model) ? { HF_HUB_OFFLINE: '1' } : {}),
    ...(options.threads === undefined
      ? {}
      : { OMP_NUM_THREADS: String(options.threads), VLLM_CPU_OMP_THREADS_BIND: 'nobind' }),
  };
}

/** A pod's dtype may be a float type or a quantisation method; vLLM has a flag for each. */
function precision(options: ServerOptions): { dtype?: string; quantization?: string } {
  const { dtype, quantization } = options;
  if (dtype === undefined || floats.includes(dtype)) return { dtype, quantization };
  if (quantization === undefined && quantizations.test(dtype)) return { quantization: dtype.toLowerCase() };
  throw new EngineStartFailed('unsupported', `vLLM does not support the dtype ${dtype}.`);
}

function maximumRank(adapters: Adapter[]): number {
  const highest = Math.max(minRank, ...adapters.map(rankOf));
  return ranks.find((rank) => rank >= highest) ?? highest;
}

function rankOf({ path }: Adapter): number {
  const config = JSON.parse(readFileSync(join(path, 'adapter_config.json'), 'utf8')) as { r?: unknown };
  return typeof config.r === 'number' ? config.r : 0;
}

/** Checked here because vLLM's own error does not say what is missing. */
export function checkAdapter({ name, path }: Adapter): void {
  if (!existsSync(join(path, 'adapter_config.json'))) {
    throw new BadRequest(`adapter '${name}': no PEFT adapter (adapter_config.json) found in ${path}.`);
  }
}
