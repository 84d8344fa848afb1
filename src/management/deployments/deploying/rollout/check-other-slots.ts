import { Conflict } from '../../../../contracts/problems.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { DeploymentPlan } from '../../planning/plan-deployment.ts';
import { listDeployments } from '../../records/deployments-store.ts';

/**
 * Several slots may serve one model. Requests name the model, not the slot, so the pods of all these slots answer them,
 * and must answer alike.
 */
export async function refuseDifferentTwin(
  { database }: { database: Database },
  { slot, model, engine, dtype, options }: DeploymentPlan,
): Promise<void> {
  const twins = (await listDeployments(database)).filter(
    (other) => other.slot !== slot && other.model_id === model.model_id,
  );
  const different = twins.find(
    (twin) =>
      twin.engine !== engine || twin.dtype !== dtype || twin.options.max_model_len !== options.max_model_len,
  );
  if (!different) return;
  throw new Conflict(
    `'${model.model_id}' is deployed to the ${different.slot} slot with another engine, dtype or max_model_len; ` +
      'requests name the model, not the slot, so the pods of both slots would answer them',
  );
}
