import type { CommandResult, CommandStatus } from '../../contracts/document-index/commands.ts';
import { countOf } from '../../platform/count-of.ts';
import { tell } from '../terminal/print.ts';

export interface Indexed {
  added: string[];
  skipped: CommandResult['skipped'];
  failed: CommandResult['failed'];
  warnings: NonNullable<CommandResult['warnings']>;
  /** Why a command as a whole ended without success. */
  errors: string[];
  regression: CommandResult['regression'][];
  /** Of syncs: documents that are gone at their source, and how many did not change. */
  removed: string[];
  unchanged: number | undefined;
}

/** Adds up the results of commands, and what was not taken in the first place. */
export function sumOf(commands: readonly CommandStatus[], refused: CommandResult['failed'] = []): Indexed {
  const results = commands.flatMap(({ result }) => (result ? [result] : []));
  return {
    added: results.flatMap(({ added }) => added),
    skipped: results.flatMap(({ skipped }) => skipped),
    failed: [...refused, ...results.flatMap(({ failed }) => failed)],
    warnings: results.flatMap(({ warnings }) => warnings ?? []),
    errors: commands.flatMap(({ status, error }) =>
      status === 'complete' ? [] : [error ?? (status === 'canceled' ? 'it was cancelled' : 'it failed')],
    ),
    removed: results.flatMap(({ removed }) => removed ?? []),
    unchanged: results.findLast(({ unchanged }) => unchanged !== undefined)?.unchanged,
    regression: results.flatMap(({ regression }) => (regression ? [regression] : [])),
  };
}

/** Whether every document was indexed, now or before. */
export const isWhole = ({ failed, errors }: Indexed): boolean => failed.length === 0 && errors.length === 0;

/** Tells what became of the documents. */
export function tellResult(bot: string, indexed: Indexed): void {
  const { added, skipped, failed, warnings, errors, regression, removed, unchanged } = indexed;
  const counts = [
    `${added.length} indexed`,
    ...(removed.length > 0 ? [`${removed.length} deleted`] : []),
    ...(unchanged === undefined ? [] : [`${unchanged} unchanged`]),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  tell(`${bot}: ${counts.join(', ')}`);
  for (const name of removed) tell(`  deleted ${name}: its source no longer has it`);
  for (const { name, reason } of skipped) tell(`  skipped ${name}: ${reason}`);
  for (const { name, warning } of warnings) tell(`  warning for ${name}: ${warning}`);
  for (const { name, error } of failed) tell(`  failed ${name}: ${error}`);
  // Commands that failed as a whole repeat the reason of their source, with its address in front.
  const isTold = (error: string) => failed.some((document) => error.endsWith(`: ${document.error}`));
  for (const error of new Set(errors)) if (!isTold(error)) tell(`  ${error}`);
  for (const run of regression) {
    if (!run || run.questions === 0) continue;
    tell(`  ${run.passed} of ${countOf(run.questions, 'regression question')} passed`);
    for (const { question, reason } of run.worse) tell(`  worse than before: ${question} (${reason})`);
  }
}
