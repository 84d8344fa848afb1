import type { Models } from '../models/open-models.ts';
import type { WorkKind } from '../platform/queue/work-kind.ts';
import type { Deployments } from './deployments/open-deployments.ts';
import type { Finetuning } from './finetuning/open-finetuning.ts';

interface ManagementWorkDependencies {
  models: Pick<Models, 'work'>;
  deployments?: Pick<Deployments, 'work'> | undefined;
  finetuning?: Pick<Finetuning, 'work'>;
}

/** The kinds of work that stand behind the management API's jobs. */
export function managementWork({
  models,
  deployments,
  finetuning,
}: ManagementWorkDependencies): Record<string, WorkKind> {
  return { ...models.work, ...deployments?.work, ...finetuning?.work };
}
