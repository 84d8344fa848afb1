import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UpstreamFailed } from '../../contracts/problems.ts';
import { makeDurable } from '../files/make-durable.ts';
import type { ConversionWatch, PythonTools } from './python-tools.ts';

interface Conversion {
  python: string;
  script: string;
  /** The folder with the safetensors, their configuration and the tokenizer. */
  folder: string;
  /** Those of its files that belong to the model. */
  files: readonly string[];
  name: string;
  type: 'f16' | 'q8_0';
  /** Where the GGUF ends up; until it is whole it is `<to>.partial`. */
  to: string;
}

/** Enough for a traceback and what led to it. */
const kept = 16_000;

/** Has llama.cpp's own converter write a GGUF of a safetensors model. */
export async function convertWeights(
  tools: Pick<PythonTools, 'run'>,
  conversion: Conversion,
  { signal, onProgress }: ConversionWatch,
): Promise<void> {
  const { python, script, name, type, to } = conversion;
  const partial = `${to}.partial`;
  const message = `converting to GGUF (${type.toUpperCase()})`;
  const report = (done: number) => onProgress({ done, total: 100, unit: 'percent', message });
  let said = '';
  report(0);
  const source = await mkdtemp(join(tmpdir(), 'roundhouse-convert-'));
  try {
    await linkFiles(conversion, source);
    const args = [script, source, '--outtype', type, '--outfile', partial, '--model-name', name];
    const end = await tools.run(python, args, {
      signal,
      // A tokenizer's settings may name code in some repository: with no hub and no cache it is never found, nor run.
      environment: { HF_HUB_OFFLINE: '1', HF_HOME: join(script, '..', 'no-hub') },
      onError(text) {
        said = (said + text).slice(-kept);
        const percent = [...said.slice(-500).matchAll(/Writing:\s+(\d+)%/g)].at(-1)?.[1];
        if (percent !== undefined) report(Number(percent));
      },
    });
    signal.throwIfAborted();
    if (end.code !== 0) throw new UpstreamFailed(whyItFailed(said, end));
    // Before it has its name, for what has it is taken as whole the next time.
    await makeDurable([partial]);
    await rename(partial, to);
  } finally {
    await rm(partial, { force: true });
    await rm(source, { recursive: true, force: true });
  }
}

/** Other tools may have put a model's code into the hub's cache, and the converter would run it: it sees none. */
async function linkFiles({ folder, files }: Conversion, source: string): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(source, file)), { recursive: true });
    await symlink(join(folder, file), join(source, file));
  }
}

/** What the converter said last, without the names that only its makers know. */
function whyItFailed(said: string, { code, signal }: { code: number | null; signal: string | null }): string {
  const last = said
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Writing:'))
    .at(-1)
    ?.replace(/^(ERROR|WARNING|INFO):[\w.-]+:/, '')
    .replace(/^(\w+\.)*\w+(Error|Exception):\s*/, '')
    .slice(0, 400);
  if (signal !== null) {
    const guess = signal === 'SIGKILL' ? ', most likely because the memory ran out' : '';
    return `the converter was ended by ${signal}${guess}`;
  }
  return last ? `llama.cpp's converter says: ${last}` : `the converter ended with exit code ${code}`;
}
