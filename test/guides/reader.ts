import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from '../testkit/machine/free-ports.ts';
import { until } from '../testkit/until.ts';
import { readGuide, type Step } from './read-guide.ts';

const root = join(import.meta.dirname, '../..');

/** What the test has in place of what the page names, such as a port or a model. */
type Substitutions = [string, string][];

interface ReaderOptions {
  /** What a machine has installed or set, beyond the essentials. */
  environment?: Record<string, string | undefined>;
}

interface Running {
  machine: string;
  child: ChildProcess;
  output: () => string;
  gone: Promise<unknown>;
}

/** Follows a page of `docs/guides` literally: writes its files, and runs its commands one block after another. */
export class Reader {
  readonly #folder = mkdtempSync(join(tmpdir(), 'guide-'));
  readonly #options: ReaderOptions;
  readonly #running: Running[] = [];
  #printed = '';

  constructor(options: ReaderOptions = {}) {
    this.#options = options;
  }

  /** A folder with the `roundhouse` command, as the reader has after cloning. */
  machine(name = 'first'): string {
    const folder = join(this.#folder, name);
    if (existsSync(folder)) return folder;
    for (const inside of ['tmp', 'home']) mkdirSync(join(folder, inside), { recursive: true });
    symlinkSync(join(root, 'roundhouse'), join(folder, 'roundhouse'));
    return folder;
  }

  /** Everything that the commands have printed, to check what a step leads to. */
  get printed(): string {
    return this.#printed + this.#running.map(({ output }) => output()).join('');
  }

  async follow(page: string, substitutions: Substitutions = []): Promise<void> {
    for (const step of readGuide(page, substitutions)) {
      if (step.restart) await this.stop(step.machine);
      if (step.kind === 'file') this.#write(step);
      else if (step.until === undefined) await this.#run(step);
      else await this.#start(step, step.until);
    }
  }

  /** Presses Ctrl+C on a machine, in the newest terminal first. */
  async stop(machine = 'first'): Promise<void> {
    for (const running of this.#running.toReversed()) {
      if (running.machine !== machine) continue;
      this.#running.splice(this.#running.indexOf(running), 1);
      const { child, gone, output } = running;
      signal(child, 'SIGINT');
      const timer = setTimeout(() => signal(child, 'SIGKILL'), 20_000);
      await gone;
      clearTimeout(timer);
      this.#printed += output();
    }
  }

  async close(): Promise<void> {
    for (const { machine } of this.#running.toReversed()) await this.stop(machine);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write({ path, machine, text }: Step): void {
    const target = join(this.machine(machine), path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }

  /** Variables that a block exports are kept for the following ones on the same machine. */
  async #run({ text, machine }: Step): Promise<void> {
    const { child, output, gone } = this.#spawn(machine, `${text}\nexport -p > tmp/exports`);
    const running = { machine, child, output, gone };
    this.#running.push(running);
    await gone;
    const at = this.#running.indexOf(running);
    if (at < 0) return;
    this.#running.splice(at, 1);
    this.#printed += output();
    if (child.exitCode === 0) return;
    throw new Error(`exit code ${child.exitCode} of\n${text}\n${output()}${this.#logs()}`);
  }

  async #start({ text, machine }: Step, ready: string): Promise<void> {
    const { child, output, gone } = this.#spawn(machine, text);
    this.#running.push({ machine, child, output, gone });
    await until(
      `'${ready}' from ${text}`,
      () => {
        if (child.exitCode !== null) throw new Error(`ended: ${text}\n${output()}${this.#logs()}`);
        return output().includes(ready);
      },
      120_000,
    );
  }

  #spawn(machine: string, script: string) {
    const folder = this.machine(machine);
    const exported = join(folder, 'tmp/exports');
    const before = existsSync(exported) ? readFileSync(exported, 'utf8') : '';
    const child = spawn('sh', ['-eu', '-c', `${before}${script}`], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: join(folder, 'home'),
        TMPDIR: join(folder, 'tmp'),
        ...this.#options.environment,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    return { child, output: () => output, gone: once(child, 'close') };
  }

  /** What the processes that are still running have printed, for failures. */
  #logs(): string {
    return this.#running.map(({ output }) => `\n--\n${output().slice(-4000)}`).join('');
  }
}

/** To the shell and everything that it started. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-(pid as number), name);
  } catch {
    // It has ended by itself.
  }
}

/** A port that is free now, for commands that need to know it in advance. */
export async function freePort(): Promise<string> {
  const [port] = await freePorts(1);
  return String(port);
}
