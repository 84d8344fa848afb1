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
  /** The files in the folder that belong to the model. */
  files: readonly string[];
  name: string;
  type: 'f16' | 'q8_0';
  /** The GGUF file; `<to>.partial` until it is complete. */
  to: string;
}

/** Enough for a traceback and the lines before it. */
const kept = 16_000;

/** Runs llama.cpp's own converter on a safetensors model. */
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
      // A tokenizer's settings may name code in a repository: without hub and cache it is neither found nor run.
      environment: { HF_HUB_OFFLINE: '1', HF_HOME: join(script, '..', 'no-hub') },
      onError(text) {
        said = (said + text).slice(-kept);
        const percent = [...said.slice(-500).matchAll(/Writing:\s+(\d+)%/g)].at(-1)?.[1];
        if (percent !== undefined) report(Number(percent));
      },
    });
    signal.throwIfAborted();
    if (end.code !== 0) throw new UpstreamFailed(whyItFailed(said, end));
    // Before the rename, since a file with this name counts as complete.
    await makeDurable([partial]);
    await rename(partial, to);
  } finally {
    await rm(partial, { force: true });
    await rm(source, { recursive: true, force: true });
  }
}

/** Links only the model's files: other tools may have put code into the hub's cache, which the converter would run. */
async function linkFiles({ folder, files }: Conversion, source: string): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(source, file)), { recursive: true });
    await symlink(join(folder, file), join(source, file));
  }
}

/** The last line that the converter printed, without the names of Python loggers and exceptions. */
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
    const guess = signal === 'SIGKILL' ? ', probably because the machine ran out of memory' : '';
    return `the converter was killed by ${signal}${guess}`;
  }
  return last ? `llama.cpp's converter failed: ${last}` : `the converter ended with exit code ${code}`;
}
