import { join } from 'node:path';
import { BadRequest, OutOfSpace, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { type FoundPython, findPython } from './find-python.ts';
import { type LineCommand, type ProcessEnd, runLines } from './line-process.ts';
import { type Inspection, readTrainerLine, type TrainerLine, type TrainingResult } from './trainer-lines.ts';

export interface TrainerSettings {
  /** Where `environment.py` and the Python program lie. */
  folder: string;
  /** Where environments are kept, and shared by all who use this folder. */
  environments: string;
  /** Where bases that were read once are kept. */
  cache: string;
  python?: string | undefined;
  torchIndex?: string | undefined;
  /** How far training stands behind what serves requests. */
  nice: number;
  environment: Record<string, string | undefined>;
}

/** How one call of the program is followed and stopped. */
export interface TrainerWatch {
  signal: AbortSignal;
  /** Ends a training with the adapter as it stands. Not before its first step: until then it would only be killed. */
  early?: AbortSignal;
  onLine?(line: TrainerLine): void;
  /** Everything that is not one of its lines. */
  log?(text: string): void;
}

/** The Python program that trains, started as a process: see `trainer/README.md` for what it says and obeys. */
export class Trainer {
  readonly #settings: TrainerSettings;
  #found: Promise<FoundPython> | undefined;
  #ready: string | undefined;

  constructor(settings: TrainerSettings) {
    this.#settings = settings;
  }

  /** Where environments are kept. */
  get folder(): string {
    return this.#settings.environments;
  }

  /** The Python that is there to make the environment with, or why nothing can be trained. */
  findPython(): Promise<FoundPython> {
    const { python, environment } = this.#settings;
    this.#found ??= findPython(python, environment);
    return this.#found;
  }

  /** Makes the environment where it is not there yet, and gives its Python. */
  async prepare(watch: TrainerWatch): Promise<string> {
    if (this.#ready !== undefined) return this.#ready;
    const found = await this.findPython();
    if ('reason' in found) {
      // It may be installed by the time of the next try.
      this.#found = undefined;
      throw new Unavailable(found.reason, { code: 'python_missing' });
    }
    const { last, end } = await this.#call(this.#installer(found.command, []), watch);
    if (last?.event !== 'environment')
      throw failure(last, end, "the trainer's Python packages were not installed");
    this.#ready = last.python;
    return last.python;
  }

  /** The environment's Python where it was made already; nothing is installed. */
  async find(signal: AbortSignal): Promise<string | undefined> {
    if (this.#ready !== undefined) return this.#ready;
    const found = await this.findPython();
    if ('reason' in found) return undefined;
    const { last } = await this.#call(this.#installer(found.command, ['--find']), { signal });
    if (last?.event === 'environment') this.#ready = last.python;
    return this.#ready;
  }

  /** Trains as the configuration file says; rejects with the reason where it comes to nothing. */
  async train(python: string, configFile: string, watch: TrainerWatch): Promise<TrainingResult> {
    const args = ['-m', 'roundhouse_trainer', 'train', '--config', configFile];
    const command = { ...this.#program(python, args), nice: this.#settings.nice };
    const { last, end } = await this.#call(command, watch);
    if (last?.event === 'result' && end.code === 0) return last;
    throw failure(last, end, 'the trainer ended without a result');
  }

  /** Runs another program of that Python, as carefully as training. */
  run(
    python: string,
    args: string[],
    options: { signal: AbortSignal; environment?: Record<string, string>; onError?(text: string): void },
  ): Promise<ProcessEnd> {
    const { signal, onError, environment } = options;
    const command = this.#program(python, args);
    return runLines(
      {
        ...command,
        environment: { ...command.environment, ...environment },
        nice: this.#settings.nice,
      },
      { signal, onLine: () => {}, ...(onError ? { onError } : {}) },
    );
  }

  async inspect(
    python: string,
    input: { model: string; data: string },
    watch: TrainerWatch,
  ): Promise<Inspection> {
    const { model, data } = input;
    const args = ['-m', 'roundhouse_trainer', 'inspect', '--model', model, '--data', data];
    args.push('--examples', '0', '--cache', this.#settings.cache);
    const { last, end } = await this.#call(this.#program(python, args), watch);
    if (last?.event === 'inspection' && end.code === 0) return last;
    throw failure(last, end, 'the trainer ended without an answer');
  }

  #installer(file: string, more: string[]): LineCommand {
    const { folder, environments, torchIndex, environment } = this.#settings;
    const index = torchIndex === undefined ? [] : ['--torch-index', torchIndex];
    const args = [join(folder, 'environment.py'), '--root', environments, ...index, ...more];
    return { file, args, environment: withoutOurs(environment) };
  }

  #program(file: string, args: string[]): LineCommand {
    const { folder, environment } = this.#settings;
    return {
      file,
      args,
      environment: {
        ...needed(environment),
        PYTHONPATH: folder,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUNBUFFERED: '1',
      },
    };
  }

  async #call(command: LineCommand, watch: TrainerWatch): Promise<{ last?: TrainerLine; end: ProcessEnd }> {
    let last: TrainerLine | undefined;
    const end = await runLines(command, {
      signal: watch.signal,
      ...(watch.early ? { early: watch.early } : {}),
      onError: (text) => watch.log?.(text),
      onLine(text) {
        const line = readTrainerLine(text);
        if (!line) watch.log?.(`${text}\n`);
        else {
          last = line;
          watch.onLine?.(line);
        }
      },
    });
    watch.signal.throwIfAborted();
    return { ...(last ? { last } : {}), end };
  }
}

/** It ended in a way that another start from its checkpoint may mend. */
export class TrainerDied extends UpstreamFailed {}

function failure(last: TrainerLine | undefined, end: ProcessEnd, otherwise: string): Error {
  if (last?.event === 'error') {
    const { code, message } = last;
    if (end.code !== 2) return new UpstreamFailed(message, { code });
    if (code === 'no_space' || code === 'not_enough_memory') return new OutOfSpace(message, { code });
    if (code === 'packages_unavailable' || code === 'python_too_old')
      return new Unavailable(message, { code });
    return new BadRequest(message, { code });
  }
  if (last?.event === 'interrupted') return new TrainerDied('the trainer was stopped by someone else');
  if (end.signal !== null) {
    const guess = end.signal === 'SIGKILL' ? ', most likely because the memory ran out' : '';
    return new TrainerDied(`the trainer was ended by ${end.signal}${guess}`);
  }
  return new UpstreamFailed(`${otherwise} (exit code ${end.code})`);
}

/** The platform's own settings hold secrets; installers need everything else (indexes, proxies, certificates). */
function withoutOurs(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('ROUNDHOUSE_')));
}

/** Training needs the machine and no secrets. */
function needed(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const names =
    /^(PATH|HOME|USER|LANG|LC_.*|TZ|TMPDIR|XDG_.*|LD_LIBRARY_PATH|(CUDA|NVIDIA|NCCL|TORCH|PYTORCH|TRITON|OMP|MKL)_.*)$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
}
