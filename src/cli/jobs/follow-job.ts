import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '../../contracts/management/jobs.ts';
import { type ManagementApi, PlatformUnreachable } from '../server/management-api.ts';
import { tell } from '../terminal/print.ts';
import { ProgressLine } from '../terminal/progress-line.ts';

const ended = ['FINISHED', 'FAILED', 'KILLED'];

/** Formats progress that is not measured in bytes: the count and the current step. */
function inWords(name: string, progress: NonNullable<Job['progress']>): string {
  const { done, total, unit, message } = progress;
  return `${name}: ${done}${total === null ? '' : ` of ${total}`} ${unit}${message ? `, ${message}` : ''}`;
}

/** Shows the progress of a job until it ends. Ctrl+C stops watching, not the job. */
export async function followJob(api: ManagementApi, job: Job): Promise<Job> {
  const line = new ProgressLine(process.stderr);
  const ignore = stopWatchingOnInterrupt(job);
  try {
    for (let current = job; ; current = await getWithRetries<Job>(api, `jobs/${job.id}/status/`)) {
      show(line, current);
      if (ended.includes(current.status)) return current;
      await wait(300);
    }
  } finally {
    line.done();
    ignore();
  }
}

function show(line: ProgressLine, { name, progress }: Job): void {
  if (!progress) return;
  // Bytes that are not being counted yet: it waits, and the message says for what.
  const waits = progress.next_try_at || (progress.message && progress.done === 0 && progress.total === null);
  if (waits) line.note(`${name}: ${progress.message}`);
  else if (progress.unit === 'bytes') line.show(name, progress.done, progress.total ?? undefined);
  else line.note(inWords(name, progress));
}

/** Returns a function that ends this. */
export function stopWatchingOnInterrupt({ id, name }: Pick<Job, 'id' | 'name'>): () => void {
  const stop = () => {
    tell(
      `\nStopped watching; ${name} goes on. Follow it with: roundhouse jobs follow ${id}\n` +
        `Stop it with: roundhouse jobs interrupt ${id}`,
    );
    process.exit(130);
  };
  process.once('SIGINT', stop);
  return () => void process.off('SIGINT', stop);
}

/** Milliseconds to retry while the platform is unreachable: jobs survive a restart, so following one should too. */
const retryFor = 120_000;

export async function getWithRetries<Answer>(
  api: Pick<ManagementApi, 'call'>,
  path: string,
  { onWait = () => {} }: { onWait?: (reason: string) => void } = {},
): Promise<Answer> {
  for (const end = performance.now() + retryFor; ; await wait(500)) {
    try {
      return await api.call<Answer>('GET', path);
    } catch (error) {
      if (!(error instanceof PlatformUnreachable) || performance.now() > end) throw error;
      onWait(error.message);
    }
  }
}

/** Reads a job to follow. A platform that is just restarting is waited for, and the first failure is shown. */
export async function findJobToFollow(api: Pick<ManagementApi, 'call'>, path: string): Promise<Job> {
  let told = false;
  return getWithRetries<Job>(api, path, {
    onWait: (reason) => {
      if (!told) tell(`${reason}; retrying for two minutes`);
      told = true;
    },
  });
}
