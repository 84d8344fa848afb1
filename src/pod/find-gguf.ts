import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EngineStartFailed } from './engine.ts';

/** The GGUF file that a path means: itself, or the one in a folder that fits the precision asked for. */
export function findGguf(path: string, precision = 'auto'): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new EngineStartFailed('missing-file', `There is no model at ${path}.`);
  if (!found.isDirectory()) return path;
  const all = readdirSync(path).filter((name) => /\.gguf$/i.test(name));
  // Of a model in pieces the first names the others; a projector for images is no model of its own.
  const models = all.filter(
    (name) => !/^mmproj/i.test(name) && (/-0*1-of-\d+\./.test(name) || !/-\d+-of-\d+\./.test(name)),
  );
  const fitting = precision === 'auto' ? models : models.filter((name) => names(name, precision));
  if (fitting.length === 1) return join(path, fitting[0] as string);
  if (models.length === 0) throw new EngineStartFailed('missing-file', `There is no GGUF file in ${path}.`);
  throw new EngineStartFailed(
    'unsupported',
    fitting.length === 0
      ? `None of the GGUF files in ${path} is of ${precision}: ${models.join(', ')}.`
      : `${path} holds several models, name one of them or a precision: ${fitting.join(', ')}.`,
  );
}

function names(file: string, precision: string): boolean {
  const short: Record<string, string> = { float16: 'f16', bfloat16: 'bf16', float32: 'f32' };
  const wanted = (short[precision] ?? precision).toLowerCase();
  return file.toLowerCase().split(/[.-]/).includes(wanted);
}
