import type { FinetuneStatus } from '../../contracts/management/finetuning.ts';

const width = 24;

/** Formats the progress and loss of a training as one line. */
export function trainingLine({ job, progress }: Pick<FinetuneStatus, 'job' | 'progress'>): string {
  if (!progress || progress.total === 0) return job.progress?.message ?? 'waiting in the queue';
  const { step, total, loss, eval_loss, tokens_per_second, remaining_seconds } = progress;
  const filled = Math.round(Math.min(1, step / total) * width);
  const parts = [
    '█'.repeat(filled) + '░'.repeat(width - filled),
    `${step}/${total} steps`,
    loss === null ? '' : `loss ${loss.toFixed(3)}`,
    eval_loss === null ? '' : `held out ${eval_loss.toFixed(3)}`,
    tokens_per_second === null ? '' : `${Math.round(tokens_per_second)} tokens/s`,
    remaining_seconds === null || step >= total ? '' : `${Math.ceil(remaining_seconds)} s left`,
  ];
  // After the last step, the trainer compares and saves.
  if (step >= total && job.status === 'RUNNING') parts.push(job.progress?.message ?? '');
  return parts.filter(Boolean).join('  ');
}
