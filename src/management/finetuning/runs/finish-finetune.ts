import type { Actor } from '../../../contracts/actor.ts';
import type { Job } from '../../../contracts/management/jobs.ts';
import { Conflict } from '../../../contracts/problems.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import type { FinetuneDependencies } from '../finetune-dependencies.ts';
import { currentRun } from './current-run.ts';

/** Ends the training early. The adapter is compared with its base and kept as it is. */
export async function finishFinetune(deps: FinetuneDependencies, actor: Actor): Promise<Job> {
  const { database, clock } = deps;
  const { run, item } = await currentRun(deps);
  const earlyStop = deps.earlyStops.get(item.id);
  if (item.state !== 'RUNNING' || !earlyStop)
    throw new Conflict(`${item.name} is not training, so it can't be finished early`);
  await database.transaction(async (session) => {
    await recordAction({ session, clock }, actor, {
      action: 'finetune.finish',
      subject: run.name,
      details: { job: item.id },
      outcome: 'accepted',
    });
    session.afterCommit(() => earlyStop.abort());
  });
  return describeJob(item);
}
