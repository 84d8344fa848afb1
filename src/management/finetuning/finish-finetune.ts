import type { Actor } from '../../contracts/actor.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { Conflict } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { describeJob } from '../jobs/describe-job.ts';
import { currentRun } from './current-run.ts';
import type { FinetuneDependencies } from './finetune-dependencies.ts';

/** Ends the training early; the adapter is compared with its base and kept as it is. */
export async function finishFinetune(deps: FinetuneDependencies, actor: Actor): Promise<Job> {
  const { database, clock } = deps;
  const { run, item } = await currentRun(deps);
  const ending = deps.ending.get(item.id);
  if (item.state !== 'RUNNING' || !ending) throw new Conflict(`${item.name} has no steps to end early`);
  await database.transaction(async (session) => {
    await recordAction({ session, clock }, actor, {
      action: 'finetune.finish',
      subject: run.name,
      details: { job: item.id },
      outcome: 'accepted',
    });
    session.afterCommit(() => ending.abort());
  });
  return describeJob(item);
}
