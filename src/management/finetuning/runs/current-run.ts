import { NotFound } from '../../../contracts/problems.ts';
import type { WorkItem } from '../../../platform/queue/work-item.ts';
import type { FinetuneDependencies } from '../finetune-dependencies.ts';
import { type FinetuneRun, findRunOfJob } from '../finetune-store.ts';

/** The run of the given job; without a job, the current run, else the last one. */
export async function currentRun(
  { queue, database }: Pick<FinetuneDependencies, 'queue' | 'database'>,
  jobId?: string,
): Promise<{ run: FinetuneRun; item: WorkItem }> {
  const item = jobId === undefined ? await currentJob(queue) : await queue.get(jobId);
  const run = item && (await findRunOfJob(database, item.id));
  if (!item || !run) {
    throw new NotFound('fine-tuning', jobId ?? 'current', {
      ...(jobId === undefined ? { words: 'no training has been started yet' } : {}),
    });
  }
  return { run, item };
}

async function currentJob(queue: FinetuneDependencies['queue']): Promise<WorkItem | undefined> {
  const kinds = ['FINETUNE'];
  const [running] = await queue.list({ kinds, states: ['RUNNING'], limit: 1 });
  return running ?? (await queue.list({ kinds, limit: 1 }))[0];
}
