import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../test/testkit/machine/cache-folder.ts';
import type { Absent, FoundElement, Reader } from './reader.ts';

const run = promisify(execFile);

/** What `partition_pdf` imports. Its own extra, `pdf`, would also install torch, which only `hi_res` needs. */
const packages = [
  'unstructured==0.27.32',
  'pdfminer.six==20260107',
  'pypdf==7.0.1',
  'pi-heif==1.4.0',
  'pdf2image==1.17.0',
  'opencv-python-headless==5.0.0.93',
  'pikepdf==10.17.0',
  'matplotlib==3.11.2',
  'pandas==3.1.1',
  'scipy==1.17.1',
  'onnxruntime==1.31.1',
  'onnx==1.23.2',
  'huggingface-hub==2.4.0',
];
const withoutDependencies = ['unstructured-inference==1.6.14', 'unstructured.pytesseract==0.3.15'];

interface Answer {
  elements: FoundElement[];
  seconds: number;
  error?: string;
}

export interface Unstructured extends Reader {
  /** Seconds of the last document, without the start of Python. */
  seconds(): number;
}

/** Python's unstructured, in a process that stays open. */
export async function openUnstructured(): Promise<Unstructured | Absent> {
  try {
    return await start(await install());
  } catch (error) {
    return { name: 'unstructured', absent: ((error as Error).message.split('\n')[0] ?? '').slice(0, 200) };
  }
}

async function install(): Promise<string> {
  const folder = cacheFolder('bench-unstructured');
  const [python, done] = [join(folder, 'bin', 'python'), join(folder, 'installed')];
  const wanted = [...packages, ...withoutDependencies].join('\n');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return python;
  const pip = (...args: string[]) =>
    run(python, ['-m', 'pip', 'install', '-q', ...args], { timeout: 900_000 });
  await run('python3', ['-m', 'venv', folder], { timeout: 120_000 });
  await pip(...packages);
  await pip('--no-deps', ...withoutDependencies);
  writeFileSync(done, wanted);
  return python;
}

async function start(python: string): Promise<Unstructured> {
  // Without a hub to ask, it must not wait for one.
  const env = { ...process.env, OMP_THREAD_LIMIT: '1', HF_HUB_OFFLINE: '1', DO_NOT_TRACK: 'true' };
  const script = join(import.meta.dirname, 'unstructured_reader.py');
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'pipe'], env });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(complaint.trim().split('\n').at(-1) || 'unstructured exited');
    return JSON.parse(value);
  };
  const { version, model } = await next();
  if (!model) console.log('unstructured runs without its spaCy model, which could not be downloaded');
  let seconds = 0;
  return {
    name: `unstructured ${version}`,
    async read(path, strategy, languages) {
      child.stdin.write(`${JSON.stringify({ path, strategy, languages })}\n`);
      const answer: Answer = await next();
      if (answer.error) throw new Error(answer.error);
      seconds = answer.seconds;
      return answer.elements.map((element) => ({ ...element, depth: element.depth ?? undefined }));
    },
    seconds: () => seconds,
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
