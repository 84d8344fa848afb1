import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, systemClock } from '../../contracts/clock.ts';
import type { LaunchedPod, Launcher, PodToLaunch } from '../../contracts/launching.ts';
import { type PodCommand, podCommand } from './pod-command.ts';
import { PodLog, readTail } from './pod-log.ts';
import { defaultRestartPolicy, type RestartPolicy } from './restart-policy.ts';
import { SupervisedPod } from './supervised-pod.ts';
import { ownerFile, sweepLogs } from './sweep-logs.ts';
import { defaultProbePolicy, type ProbePolicy } from './watch-health.ts';

export interface ProcessLauncherOptions {
  /** Each pod's log goes to `<data_dir>/pods/<pod_id>/`. */
  data_dir: string;
  /** Entry file of the `roundhouse` command. */
  main: string;
  /** Address that pods report to. A function, because our own port may not be known yet. */
  dispatcher?: () => string | undefined;
  /** The environment of the pods. */
  environment: NodeJS.ProcessEnv;
  /** Makes each pod's own variables when it is started, and forgets them when it is gone. */
  credentials?: {
    issue(podId: string): NodeJS.ProcessEnv;
    secretOf(podId: string): string | undefined;
    forget(podId: string): Promise<void>;
  };
  commandFor?: (pod: PodToLaunch) => PodCommand;
  restart?: RestartPolicy;
  probe?: ProbePolicy;
  loadTimeout?: number;
  deadGrace?: number;
  stopTimeout?: number;
  orphanGrace?: number;
  clock?: Clock;
  /** Marks the log folders of this platform's pods, where several share the data folder. */
  machine?: string;
  /** How long the logs of pods that are gone are kept, in milliseconds. */
  logRetention?: number;
  logLimits?: { maxBytes?: number; keep?: number };
}

/** Runs pods as child processes of this one. When this process dies, so do they. */
export class ProcessLauncher implements Launcher {
  readonly #options: ProcessLauncherOptions;
  readonly #pods = new Map<string, { wanted: PodToLaunch; pod: SupervisedPod }>();
  readonly #listeners = new Set<(pod: LaunchedPod) => void>();
  #closed = false;

  constructor(options: ProcessLauncherOptions) {
    this.#options = options;
  }

  async start(wanted: PodToLaunch): Promise<LaunchedPod> {
    if (this.#closed) throw new Error('the launcher is closed');
    const present = this.#pods.get(wanted.pod_id);
    if (present && isDeepStrictEqual(present.wanted, wanted) && present.pod.record.state !== 'failed') {
      return present.pod.record;
    }
    if (present) await this.stop(wanted.pod_id);
    const pod = new SupervisedPod(wanted.pod_id, {
      command: this.#command(wanted),
      environment: { ...this.#options.environment, ...this.#options.credentials?.issue(wanted.pod_id) },
      log: new PodLog(this.#folder(wanted.pod_id), this.#options.logLimits),
      clock: this.#options.clock ?? systemClock,
      restart: this.#options.restart ?? defaultRestartPolicy,
      probe: this.#options.probe ?? defaultProbePolicy,
      loadTimeout: this.#options.loadTimeout ?? 30 * 60_000,
      stopTimeout: this.#options.stopTimeout ?? 8_000,
      deadGrace: this.#options.deadGrace ?? 15_000,
      orphanGrace: this.#options.orphanGrace ?? 5,
      onChange: (record) => {
        for (const listener of this.#listeners) listener(record);
      },
    });
    this.#pods.set(wanted.pod_id, { wanted, pod });
    this.#markOwner(wanted.pod_id);
    pod.start();
    return pod.record;
  }

  amend(wanted: PodToLaunch): void {
    const present = this.#pods.get(wanted.pod_id);
    if (!present) return;
    present.wanted = wanted;
    present.pod.amend(this.#command(wanted));
  }

  async stop(podId: string): Promise<void> {
    const present = this.#pods.get(podId);
    if (!present) return;
    await present.pod.stop();
    if (this.#pods.get(podId) !== present) return;
    this.#pods.delete(podId);
    await this.#options.credentials?.forget(podId);
  }

  list(): LaunchedPod[] {
    return [...this.#pods.values()].map(({ pod }) => pod.record);
  }

  get(podId: string): LaunchedPod | undefined {
    return this.#pods.get(podId)?.pod.record;
  }

  secret(podId: string): string | undefined {
    return this.#options.credentials?.secretOf(podId);
  }

  log(podId: string, lines: number): Promise<string[]> {
    return readTail(join(this.#folder(podId), 'pod.log'), lines);
  }

  onChange(listener: (pod: LaunchedPod) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Deletes the old logs of pods that are gone. Called once what should run has been started. */
  async sweepLogs(): Promise<void> {
    const running = new Set([...this.#pods.keys()].map(folderName));
    const {
      data_dir,
      machine = hostname(),
      clock = systemClock,
      logRetention = 7 * 86_400_000,
    } = this.#options;
    const before = clock.now() - logRetention;
    await sweepLogs({ folder: join(data_dir, 'pods'), machine, running, before });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pods.keys()].map((podId) => this.stop(podId)));
  }

  #command(wanted: PodToLaunch): PodCommand {
    return (
      this.#options.commandFor?.(wanted) ??
      podCommand(this.#options.main, wanted, this.#options.dispatcher?.())
    );
  }

  #folder(podId: string): string {
    return join(this.#options.data_dir, 'pods', folderName(podId));
  }

  #markOwner(podId: string): void {
    try {
      mkdirSync(this.#folder(podId), { recursive: true });
      writeFileSync(join(this.#folder(podId), ownerFile), this.#options.machine ?? hostname());
    } catch {
      // On a full disk the pod starts nevertheless; its folder then counts as this machine's.
    }
  }
}

/** No id may name a folder outside of ours. */
const folderName = (podId: string) =>
  encodeURIComponent(podId).replace(/^\.+/, (dots) => '%2E'.repeat(dots.length));
