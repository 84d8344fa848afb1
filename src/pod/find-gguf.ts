import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EngineStartFailed } from './engine.ts';

/** Finds the GGUF file for a path: the file itself, or the one in a folder that has the requested precision. */
export function findGguf(path: string, precision = 'auto'): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new EngineStartFailed('missing-file', `No model found at ${path}.`);
  if (!found.isDirectory()) return path;
  const all = readdirSync(path).filter((name) => /\.gguf$/i.test(name));
  // The first file of a split model refers to the others. An image projector is not a model by itself.
  const models = all.filter(
    (name) => !/^mmproj/i.test(name) && (/-0*1-of-\d+\./.test(name) || !/-\d+-of-\d+\./.test(name)),
  );
  const matching = precision === 'auto' ? models : models.filter((name) => hasPrecision(name, precision));
  if (matching.length === 1) return join(path, matching[0] as string);
  if (models.length === 0) throw new EngineStartFailed('missing-file', `No GGUF file found in ${path}.`);
  throw new EngineStartFailed(
    'unsupported',
    matching.length === 0
      ? `No GGUF file in ${path} has the precision ${precision}: ${models.join(', ')}.`
      : `${path} contains several models. Specify a file or a precision: ${matching.join(', ')}.`,
  );
}

function hasPrecision(file: string, precision: string): boolean {
  const short: Record<string, string> = { float16: 'f16', bfloat16: 'bf16', float32: 'f32' };
  const wanted = (short[precision] ?? precision).toLowerCase();
  return file.toLowerCase().split(/[.-]/).includes(wanted);
}
