import { join } from 'node:path';
import { BadRequest, OutOfSpace, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { type FoundPython, findPython } from './find-python.ts';
import { type LineCommand, type ProcessEnd, runLines } from './line-process.ts';
import { type Inspection, readTrainerLine, type TrainerLine, type TrainingResult } from './trainer-lines.ts';

export interface TrainerSettings {
  /** Folder of `environment.py` and the Python program. */
  folder: string;
  /** Folder of the Python environments; several platforms may share it. */
  environments: string;
  /** Folder for converted base models. */
  cache: string;
  python?: string | undefined;
  torchIndex?: string | undefined;
  /** Niceness of training processes. */
  nice: number;
  environment: Record<string, string | undefined>;
}

/** How to follow and stop one call of the program. */
export interface TrainerWatch {
  signal: AbortSignal;
  /** Ends a training early and keeps the adapter. Before the first step it would kill the program. */
  early?: AbortSignal;
  onLine?(line: TrainerLine): void;
  /** Receives all other output. */
  log?(text: string): void;
}

/** Runs the Python training program as a process. See `trainer/README.md` for its protocol. */
export class Trainer {
  readonly #settings: TrainerSettings;
  #found: Promise<FoundPython> | undefined;
  #ready: string | undefined;

  constructor(settings: TrainerSettings) {
    this.#settings = settings;
  }

  /** Folder of the Python environments. */
  get folder(): string {
    return this.#settings.environments;
  }

  /** The Python that can create the environment, or why nothing can be trained. */
  findPython(): Promise<FoundPython> {
    const { python, environment } = this.#settings;
    this.#found ??= findPython(python, environment);
    return this.#found;
  }

  /** Creates the environment if needed, and returns its Python. */
  async prepare(watch: TrainerWatch): Promise<string> {
    if (this.#ready !== undefined) return this.#ready;
    const found = await this.findPython();
    if ('reason' in found) {
      // Python may be installed before the next call.
      this.#found = undefined;
      throw new Unavailable(found.reason, { code: 'python_missing' });
    }
    const { last, end } = await this.#call(this.#installer(found.command, []), watch);
    if (last?.event !== 'environment')
      throw failure(last, end, "the trainer's Python packages could not be installed");
    this.#ready = last.python;
    return last.python;
  }

  /** The environment's Python if it exists; installs nothing. */
  async find(signal: AbortSignal): Promise<string | undefined> {
    if (this.#ready !== undefined) return this.#ready;
    const found = await this.findPython();
    if ('reason' in found) return undefined;
    const { last } = await this.#call(this.#installer(found.command, ['--find']), { signal });
    if (last?.event === 'environment') this.#ready = last.python;
    return this.#ready;
  }

  /** Trains as configured; rejects with the reason if the training fails. */
  async train(python: string, configFile: string, watch: TrainerWatch): Promise<TrainingResult> {
    const args = ['-m', 'roundhouse_trainer', 'train', '--config', configFile];
    const command = { ...this.#program(python, args), nice: this.#settings.nice };
    const { last, end } = await this.#call(command, watch);
    if (last?.event === 'result' && end.code === 0) return last;
    throw failure(last, end, 'the trainer exited without a result');
  }

  /** Runs another program with that Python, in the same restricted environment as training. */
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
    throw failure(last, end, 'the trainer exited without a result');
  }

  #installer(file: string, more: string[]): LineCommand {
    const { folder, environments, torchIndex, environment } = this.#settings;
    const index = torchIndex === undefined ? [] : ['--torch-index', torchIndex];
    const args = [join(folder, 'environment.py'), '--root', environments, ...index, ...more];
    return { file, args, environment: withoutSettings(environment) };
  }

  #program(file: string, args: string[]): LineCommand {
    const { folder, environment, environments } = this.#settings;
    return {
      file,
      args,
      environment: {
        ...trainingEnvironment(environment),
        PYTHONPATH: folder,
        // Installers don't compile, and compiling torch takes as long as the rest of a start.
        PYTHONDONTWRITEBYTECODE: '',
        PYTHONPYCACHEPREFIX: join(environments, 'bytecode'),
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

/** The trainer was stopped from outside; a restart from its checkpoint may succeed. */
export class TrainerDied extends UpstreamFailed {}

function failure(last: TrainerLine | undefined, end: ProcessEnd, fallback: string): Error {
  if (last?.event === 'error') {
    const { code, message } = last;
    if (end.code !== 2) return new UpstreamFailed(message, { code });
    if (code === 'no_space' || code === 'not_enough_memory') return new OutOfSpace(message, { code });
    if (code === 'packages_unavailable' || code === 'python_too_old')
      return new Unavailable(message, { code });
    return new BadRequest(message, { code });
  }
  if (last?.event === 'interrupted') return new TrainerDied('the trainer was interrupted from outside');
  if (end.signal !== null) {
    const guess = end.signal === 'SIGKILL' ? ', most likely because the machine ran out of memory' : '';
    return new TrainerDied(`the trainer was killed by ${end.signal}${guess}`);
  }
  return new UpstreamFailed(`${fallback} (exit code ${end.code})`);
}

/** Drops the platform's settings, which may hold secrets; installers need the rest (indexes, proxies, certificates). */
function withoutSettings(
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('ROUNDHOUSE_')));
}

/** Keeps only what training needs, so that it sees no secrets. */
function trainingEnvironment(
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  const names =
    /^(PATH|HOME|USER|LANG|LC_.*|TZ|TMPDIR|XDG_.*|LD_LIBRARY_PATH|(CUDA|NVIDIA|NCCL|TORCH|PYTORCH|TRITON|OMP|MKL)_.*)$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
}
