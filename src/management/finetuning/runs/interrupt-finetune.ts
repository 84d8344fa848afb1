import type { Actor } from '../../../contracts/actor.ts';
import type { Job } from '../../../contracts/management/jobs.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import type { FinetuneDependencies } from '../finetune-dependencies.ts';
import { currentRun } from './current-run.ts';

/** Returns the job that is being stopped. Its checkpoint is kept, so the same request resumes from there. */
export async function interruptFinetune(deps: FinetuneDependencies, actor: Actor): Promise<Job> {
  const { database, clock, queue } = deps;
  const { run, item } = await currentRun(deps);
  const stopped = await database.transaction(async (session) => {
    const canceled = await queue.cancel(item.id, session);
    await recordAction({ session, clock }, actor, {
      action: 'finetune.interrupt',
      subject: run.name,
      details: { job: item.id },
    });
    return canceled;
  });
  return { ...describeJob(stopped), status: 'RUNNING', finished_at: null };
}
