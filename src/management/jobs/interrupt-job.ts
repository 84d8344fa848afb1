import type { Actor } from '../../contracts/actor.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { describeJob } from './describe-job.ts';
import { getJob, type JobDependencies } from './jobs.ts';

export async function interruptJob(deps: JobDependencies, actor: Actor, id: string): Promise<Job> {
  const { database, clock, queue } = deps;
  const { name } = await getJob(deps, id);
  return database.transaction(async (session) => {
    const item = await queue.cancel(id, session);
    await recordAction({ session, clock }, actor, {
      action: 'job.interrupt',
      subject: id,
      details: { name },
    });
    return describeJob(item);
  });
}
