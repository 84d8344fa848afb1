import { type FinetuneStatus, smallestComparedSet } from '../../contracts/management/finetuning.ts';
import { hintNext, quoted } from '../terminal/hint.ts';
import { print } from '../terminal/print.ts';
import { formatComparison } from './format-comparison.ts';
import { trainingLine } from './training-line.ts';

/** Prints a training, its comparison with the base, and what to do next. */
export function describeRun(run: FinetuneStatus): void {
  const { job, name, model_id, comparison } = run;
  print(`${name}, on ${model_id}: ${job.status}${job.error ? `, ${job.error}` : ''}`);
  print(trainingLine(run));
  if (comparison) print(formatComparison(comparison));
  else if (job.status === 'FINISHED')
    print(`not compared: that takes at least ${smallestComparedSet} conversations`);
  hintNext(...nextFor(run));
}

/** The obvious next commands. */
export function nextFor({
  job,
  name,
  model_id,
  dataset_id,
}: Pick<FinetuneStatus, 'job' | 'name' | 'model_id' | 'dataset_id'>): string[] {
  switch (job.status) {
    case 'FINISHED':
      return [`run ${quoted(name)}`];
    case 'FAILED':
    case 'KILLED':
      return [`finetune run ${dataset_id} --model ${quoted(model_id)} --name ${quoted(name)}`];
    default:
      return [`jobs follow ${job.id}`, 'finetune stop'];
  }
}
