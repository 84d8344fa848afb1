import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../contracts/clock.ts';
import type { LaunchedPod } from '../../contracts/launching.ts';
import { cannotWork, isPodMessage, type PodMessage } from '../../contracts/pod-messages.ts';
import { dismissGuard, endGroup, guardGroup, signalGroup } from '../../platform/processes/process-group.ts';
import type { PodCommand } from './pod-command.ts';
import type { PodLog } from './pod-log.ts';
import { decideRestart, type RestartPolicy } from './restart-policy.ts';
import { type ProbePolicy, watchHealth } from './watch-health.ts';

/** Node's timers hold 31 bits of milliseconds. */
const longestTimer = 2 ** 31 - 1;

interface SupervisedPodOptions {
  command: PodCommand;
  environment: NodeJS.ProcessEnv;
  log: PodLog;
  clock: Clock;
  restart: RestartPolicy;
  probe: ProbePolicy;
  /** Milliseconds that a pod may load its model without progress. 0: no limit. */
  loadTimeout: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  stopTimeout: number;
  /** Milliseconds that a pod may take to exit once it has reported that it is dead. */
  deadGrace: number;
  /** Seconds that a pod may outlive this process. */
  orphanGrace: number;
  onChange: (pod: LaunchedPod) => void;
}

/** One pod as a child process, restarted when it exits by itself or stops responding. */
export class SupervisedPod {
  readonly #options: SupervisedPodOptions;
  #command: PodCommand;
  #record: LaunchedPod;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #unwatch = () => {};
  #killing: NodeJS.Timeout | undefined;
  #loading: NodeJS.Timeout | undefined;
  /** When the current process began to serve. */
  #servingSince: number | undefined;
  /** Why the current process ends, where that is known better than from its exit code. */
  #reason: string | undefined;
  #failures = 0;
  #stopping = false;

  constructor(podId: string, options: SupervisedPodOptions) {
    this.#options = options;
    this.#command = options.command;
    this.#record = {
      pod_id: podId,
      state: 'stopped',
      address: null,
      pid: null,
      restarts: 0,
      started_at: options.clock.now(),
      retry_at: null,
      progress: null,
      error: null,
    };
  }

  get record(): LaunchedPod {
    return this.#record;
  }

  start(): void {
    const { log, clock } = this.#options;
    const command = this.#command;
    this.#change({
      state: 'starting',
      address: null,
      progress: null,
      retry_at: null,
      started_at: clock.now(),
    });
    this.#reason = undefined;
    this.#servingSince = undefined;
    this.#limitLoading();
    // Its own process group, so that its child processes (such as vLLM) end with it.
    const child = spawn(command.command, command.args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...this.#options.environment, ...command.environment },
    });
    this.#child = child;
    const guard = child.pid === undefined ? undefined : guardGroup(child.pid, this.#options.orphanGrace);
    child.stdout?.on('data', (chunk: Buffer) => log.write(chunk));
    child.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
    child.on('message', (message) => isPodMessage(message) && this.#onMessage(message));
    this.#change({ pid: child.pid ?? null });
    this.#ended = endOf(child).then(async (outcome) => {
      if (child.pid !== undefined) await endGroup(child.pid);
      if (guard) dismissGuard(guard);
      this.#child = undefined;
      this.#unwatch();
      clearTimeout(this.#loading);
      clearTimeout(this.#killing);
      this.#killing = undefined;
      // Loading does not count as running: a pod that never serves is looping, however long each attempt takes.
      this.#afterEnd(outcome, this.#servingSince === undefined ? 0 : clock.now() - this.#servingSince);
    });
  }

  /** Takes effect at the next start. */
  amend(command: PodCommand): void {
    this.#command = command;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#loading);
    this.#unwatch();
    const pid = this.#child?.pid;
    if (pid !== undefined) {
      this.#change({ state: 'stopping', retry_at: null });
      signalGroup(pid, 'SIGTERM');
      const deadline = setTimeout(() => signalGroup(pid, 'SIGKILL'), this.#options.stopTimeout);
      await this.#ended;
      clearTimeout(deadline);
    }
    this.#change({ state: 'stopped', address: null, pid: null, retry_at: null });
    await this.#options.log.close();
  }

  #onMessage(message: PodMessage): void {
    if (this.#stopping) return;
    if (message.kind === 'progress' && message.text !== this.#record.progress) {
      this.#change({ progress: message.text });
      if (this.#record.state === 'starting') this.#limitLoading();
    }
    if (message.kind === 'listening') {
      clearTimeout(this.#loading);
      this.#servingSince ??= this.#options.clock.now();
      this.#change({ state: 'running', address: message.address, progress: null, error: null });
      this.#watch(message.address);
    }
    if (message.kind === 'dead') {
      this.#fail(message.reason);
      // A pod that hangs in its own shutdown would stay for ever, since it is no longer probed.
      this.#killing ??= setTimeout(() => this.#kill(), this.#options.deadGrace);
    }
  }

  /** Starts the time limit for the next sign of progress. */
  #limitLoading(): void {
    const { loadTimeout } = this.#options;
    clearTimeout(this.#loading);
    if (loadTimeout === 0) return;
    this.#loading = setTimeout(
      () => {
        const { progress } = this.#record;
        const since = progress === null ? '' : `; the last was "${progress}"`;
        this.#fail(`loading its model made no progress for ${loadTimeout / 1000} s${since}`);
        this.#kill();
      },
      Math.min(loadTimeout, longestTimer),
    );
    this.#loading.unref();
  }

  #watch(address: string): void {
    this.#unwatch();
    this.#unwatch = watchHealth(address, this.#options.probe, () => {
      this.#fail(`it does not answer: ${this.#options.probe.failures} health requests in a row failed`);
      this.#kill();
    });
  }

  #fail(reason: string): void {
    this.#unwatch();
    clearTimeout(this.#loading);
    this.#reason = reason;
    this.#change({ error: reason });
  }

  #kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  }

  #afterEnd(outcome: Outcome, ranFor: number): void {
    if (this.#stopping) return;
    const error = this.#reason ?? describeEnd(outcome);
    if (outcome.code === cannotWork) {
      this.#change({ state: 'failed', address: null, pid: null, progress: null, error });
      return;
    }
    const { failures, delay, looping } = decideRestart(this.#options.restart, this.#failures, ranFor);
    this.#failures = failures;
    this.#change({
      state: looping ? 'crash-looping' : 'backing-off',
      address: null,
      pid: null,
      progress: null,
      error,
      retry_at: this.#options.clock.now() + delay,
    });
    this.#retry = setTimeout(() => {
      this.#change({ restarts: this.#record.restarts + 1 });
      this.start();
    }, delay);
  }

  #change(change: Partial<LaunchedPod>): void {
    this.#record = { ...this.#record, ...change };
    this.#options.onChange(this.#record);
  }
}

interface Outcome {
  code?: number | null;
  signal?: NodeJS.Signals | null;
  failedToStart?: Error;
}

function endOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve) => {
    child.once('error', (failedToStart) => resolve({ failedToStart }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function describeEnd({ code, signal, failedToStart }: Outcome): string {
  if (failedToStart) return `could not be started: ${failedToStart.message}`;
  return signal ? `killed by ${signal}` : `exited with code ${code}`;
}
