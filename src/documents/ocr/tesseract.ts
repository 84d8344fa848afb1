import { spawn } from 'node:child_process';
import { processEnvironment } from '../../platform/config/environment.ts';
import type { Box } from '../element.ts';
import { Unreadable } from '../unreadable.ts';

export interface OcrWord {
  text: string;
  /** In pixels. */
  box: Box;
  /** From 0 to 100. */
  confidence: number;
  /** Numbers of the block, paragraph and line that Tesseract put it into. */
  line: string;
}

export interface OcrRequest {
  /** A picture in a format that Tesseract reads, such as PGM. */
  picture: Uint8Array;
  languages: string[];
  dotsPerInch: number;
  /** 3: find the layout; 6: one block of lines. */
  mode: 3 | 6;
  signal?: AbortSignal | undefined;
}

const installHint = 'Install it on the server (Debian: tesseract-ocr, tesseract-ocr-rus, tesseract-ocr-eng).';

/** Tesseract as a command of the system. */
export class Tesseract {
  readonly #command: string;
  #installed: Promise<Set<string>> | undefined;

  constructor(command = 'tesseract') {
    this.#command = command;
  }

  /** The names of the installed languages. Throws `no OCR` if there is no Tesseract. */
  languages(): Promise<Set<string>> {
    this.#installed ??= this.#run(['--list-langs']).then(
      (text) =>
        new Set(
          text
            .split('\n')
            .slice(1)
            .map((line) => line.trim())
            .filter(Boolean),
        ),
    );
    return this.#installed;
  }

  async isInstalled(): Promise<boolean> {
    return this.languages().then(
      (languages) => languages.size > 0,
      () => false,
    );
  }

  async read(request: OcrRequest): Promise<OcrWord[]> {
    const languages = chooseLanguages(request.languages, await this.languages());
    const options = ['stdin', 'stdout', '-l', languages.join('+'), '--psm', String(request.mode)];
    const more = ['--dpi', String(Math.round(request.dotsPerInch)), '-c', 'tessedit_do_invert=0', 'tsv'];
    return parseTsv(await this.#run([...options, ...more], request.picture, request.signal));
  }

  #run(args: string[], input?: Uint8Array, signal?: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      // One thread per process: pages are read by several processes at once.
      const environment = { ...processEnvironment(), OMP_THREAD_LIMIT: '1' };
      const child = spawn(this.#command, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'], signal });
      const output: Buffer[] = [];
      const errors: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => output.push(part));
      child.stderr.on('data', (part: Buffer) => errors.push(part));
      child.stdin.on('error', () => {});
      child.on('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'ENOENT'
            ? new Unreadable('no OCR', `Tesseract is not installed. ${installHint}`)
            : error,
        ),
      );
      child.on('close', (code) =>
        code === 0
          ? resolve(Buffer.concat(output).toString())
          : reject(
              new Error(`tesseract ended with ${code}: ${Buffer.concat(errors).toString().slice(0, 500)}`),
            ),
      );
      child.stdin.end(input);
    });
  }
}

/**
 * The installed models for the asked languages. Together with English, the model of a script reads Cyrillic with
 * fewer Latin look-alikes than that of one language.
 */
export function chooseLanguages(asked: string[], installed: Set<string>): string[] {
  const wanted = asked.length > 0 ? asked : ['rus', 'eng'];
  const found = wanted.filter((name) => /^[\w/]+$/.test(name) && installed.has(name));
  if (found.length > 0) return found;
  const fallback = ['rus', 'eng'].filter((name) => installed.has(name));
  if (fallback.length > 0 && asked.length === 0) return fallback;
  throw new Unreadable(
    'no OCR',
    `Tesseract has no data for the language ${wanted.join(', ')}. ${installHint}`,
  );
}

function parseTsv(text: string): OcrWord[] {
  const words: OcrWord[] = [];
  for (const row of text.split('\n')) {
    const fields = row.split('\t');
    if (fields[0] !== '5' || fields.length < 12) continue;
    const [, , block, paragraph, line, , left, top, width, height, confidence] = fields.map(Number);
    const word = (fields[11] as string).trim();
    if (word === '') continue;
    const [x = 0, y = 0] = [left, top];
    words.push({
      text: word,
      box: { left: x, top: y, right: x + (width ?? 0), bottom: y + (height ?? 0) },
      confidence: confidence ?? 0,
      line: `${block} ${paragraph} ${line}`,
    });
  }
  return words;
}
