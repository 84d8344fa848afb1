import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EngineStartFailed } from '../../engine.ts';
import type { Adapter, ServerOptions } from '../server/server-kind.ts';

export const defaultParallel = 4;

export function llamaServerArguments(options: ServerOptions, adapters: Adapter[], port: number): string[] {
  const parallel = options.parallel ?? defaultParallel;
  const flags: [string, string | number | undefined][] = [
    ['--model', modelFile(options)],
    ['--alias', options.servedModelName],
    ['--host', '127.0.0.1'],
    ['--port', port],
    ['--parallel', parallel],
    // llama-server divides the context among its slots.
    ['--ctx-size', options.maxModelLen === undefined ? undefined : options.maxModelLen * parallel],
    // Older servers use no GPU unless they are told how many layers to put there.
    ['--n-gpu-layers', /^\w/.test(options.gpuIds ?? '') ? 999 : undefined],
    ['--tensor-split', options.tensorParallel === undefined ? undefined : evenly(options.tensorParallel)],
    ['--threads', options.threads],
    ['--lora', adapters.length === 0 ? undefined : adapters.map(({ path }) => path).join(',')],
  ];
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
  return [...given, '--metrics', ...taskArguments(options.task)];
}

/** Equal parts for each GPU. */
const evenly = (gpus: number) => Array.from({ length: gpus }, () => 1).join(',');

function taskArguments(task: ServerOptions['task']): string[] {
  if (task === 'embeddings') return ['--embeddings'];
  return task === 'rerank' ? ['--reranking'] : [];
}

/** The given file, or the file in a folder whose name contains the dtype or quantisation. */
function modelFile({ model, dtype, quantization }: ServerOptions): string {
  if (!existsSync(model)) throw new EngineStartFailed('missing-file', `No model found at ${model}.`);
  if (!statSync(model).isDirectory()) return model;
  const files = readdirSync(model)
    .filter((name) => name.endsWith('.gguf') && !/mmproj/i.test(name))
    // The server takes the first file of a split model.
    .filter((name) => !/-\d{5}-of-\d{5}\.gguf$/.test(name) || name.includes('-00001-of-'))
    .sort();
  const wanted = dtypePattern(quantization ?? (dtype === 'auto' ? undefined : dtype));
  const matching = wanted === undefined ? files : files.filter((name) => wanted.test(name));
  const [file] = matching;
  if (file === undefined) {
    const which = wanted === undefined ? 'GGUF file' : `GGUF file with dtype ${quantization ?? dtype}`;
    throw new EngineStartFailed('missing-file', `No ${which} found in ${model}.`);
  }
  if (matching.length === 1) return join(model, file);
  throw new EngineStartFailed(
    'unsupported',
    `${model} contains several GGUF files (${matching.join(', ')}). Specify one.`,
  );
}

/** Matches the dtype in a file name, where `float16` is written as F16. */
function dtypePattern(dtype: string | undefined): RegExp | undefined {
  if (dtype === undefined) return undefined;
  const name = dtype.replace(/^float/, 'f').replace(/^bfloat/, 'bf');
  return new RegExp(`(^|[^a-z0-9])${name.replace(/[^\w]/g, '.')}([^a-z0-9_]|$)`, 'i');
}
