import type { StoredResult } from '../command-work.ts';
import type { StoredDocument } from '../tables.ts';

/** Why a version was skipped, in `error` of its row: its document is already in the index as it is. */
export const unchanged = 'unchanged';

type Version = Pick<StoredDocument, 'id' | 'name' | 'state' | 'error'>;

export interface SwapPlan {
  activate: number[];
  retire: number[];
  result: StoredResult;
}

/**
 * What changes when all documents of a command have been prepared. `own` are the command's versions: `built`, `error`,
 * or `retired` with the reason why they were skipped. `whole`: documents of the bot that are not among them go.
 */
export function planSwap(whole: boolean, own: readonly Version[], active: readonly Version[]): SwapPlan {
  const built = own.filter(({ state }) => state === 'built');
  const failed = own.filter(({ state }) => state === 'error');
  const skipped = own.filter(({ state, error }) => state === 'retired' && error !== null);
  const replaced = new Set(built.map(({ name }) => name));
  const same = skipped.filter(({ error }) => error === unchanged);
  // A document that can't be read now still answers with its old version.
  const kept = new Set([...same, ...failed].map(({ name }) => name));
  const retired = active.filter(({ name }) => replaced.has(name) || (whole && !kept.has(name)));
  return {
    activate: built.map(({ id }) => id),
    retire: retired.map(({ id }) => id),
    result: {
      added: built.map(({ name }) => name),
      skipped: skipped.map(({ name, error }) => ({ name, reason: error ?? '' })),
      failed: failed.map(({ name, error }) => ({ name, error: error ?? '' })),
      error: failed.length > 0 && built.length + skipped.length === 0 ? summaryOf(failed) : null,
    },
  };
}

function summaryOf(failed: readonly Version[]): string {
  const [first] = failed;
  const why = `${first?.name}: ${first?.error}`;
  return failed.length === 1 ? why : `none of ${failed.length} documents could be indexed; ${why}`;
}
