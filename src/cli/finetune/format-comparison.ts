import type { TrainingComparison } from '../../contracts/management/finetuning.ts';

/** Formats the gain on held-out data and the loss on general text. */
export function formatComparison(comparison: TrainingComparison): string {
  const { base_loss, adapter_loss, base_answers, adapter_answers } = comparison;
  const { base_general_loss: before, adapter_general_loss: after } = comparison;
  const lines = [
    `held-out loss    ${base_loss.toFixed(3)} → ${adapter_loss.toFixed(3)}  (${change(base_loss, adapter_loss)})`,
  ];
  if (before !== null && after !== null) {
    lines.push(`general loss     ${before.toFixed(3)} → ${after.toFixed(3)}  (${change(before, after)})`);
  }
  if (base_answers && adapter_answers) {
    const percent = (value: number) => `${Math.round(value * 100)} %`;
    lines.push(
      `exact answers    ${percent(base_answers.exact_match)} → ${percent(adapter_answers.exact_match)}`,
    );
  }
  return lines.join('\n');
}

function change(before: number, after: number): string {
  const share = (after / before - 1) * 100;
  return `${share > 0 ? '+' : '−'}${Math.abs(share).toFixed(1)} %`;
}
