import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../testkit/until.ts';

const program = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** A worker in a process of its own, and the lines it has said so far. */
export class WorkerProcess {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(...options: string[]) {
    this.#child = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#ended = once(this.#child, 'close');
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.lines.push(...lines);
    });
  }

  /** The names after this word, in the order they were said. */
  said(word: string): string[] {
    return this.lines
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  }

  async says(line: string): Promise<void> {
    await until(`a worker to say "${line}"`, () => {
      if (this.#child.exitCode !== null) throw new Error(`a worker ended with code ${this.#child.exitCode}`);
      return this.lines.some((said) => said.startsWith(line));
    });
  }

  /** Returns once it is gone and everything it said was read. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
