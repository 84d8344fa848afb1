import type { TrainingComparison } from '../../../contracts/management/finetuning.ts';
import type { Session } from '../../../platform/database/database.ts';
import { findCompared } from '../finetune-store.ts';
import type { TrainingResult } from '../trainer/trainer-lines.ts';

/** Null if there were too few conversations to hold any out. */
export function comparisonFrom({ held_out, retention }: TrainingResult): TrainingComparison | null {
  if (!held_out) return null;
  const { base, adapter, improvement, examples } = held_out;
  return {
    base_loss: base.loss,
    adapter_loss: adapter.loss,
    improvement,
    base_general_loss: retention?.base_loss ?? null,
    adapter_general_loss: retention?.adapter_loss ?? null,
    base_answers: answers(base),
    adapter_answers: answers(adapter),
    examples,
  };
}

type Scores = NonNullable<TrainingResult['held_out']>['base'];

function answers({ exact_match, token_f1 }: Scores): TrainingComparison['base_answers'] {
  return exact_match === null || token_f1 === null ? null : { exact_match, token_f1 };
}

/** The comparison of an adapter with its base; null if it was not trained here or nothing was held out. */
export async function comparisonOf(session: Session, adapterId: string): Promise<TrainingComparison | null> {
  return (await findCompared(session, adapterId))?.comparison ?? null;
}
