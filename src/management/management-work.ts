import type { WorkKind } from '../platform/queue/work-kind.ts';
import type { Finetuning } from './finetuning/open-finetuning.ts';
import type { Models } from './models/open-models.ts';

interface ManagementWorkDependencies {
  models: Pick<Models, 'work'>;
  finetuning?: Pick<Finetuning, 'work'>;
}

/** The kinds of work that stand behind the management API's jobs. */
export function managementWork({ models, finetuning }: ManagementWorkDependencies): Record<string, WorkKind> {
  return { ...models.work, ...finetuning?.work };
}
