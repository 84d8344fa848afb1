import { fromJson } from '../../platform/database/json-column.ts';
import { type StoredResult, warningsOf } from '../command-work.ts';
import type { StoredDocument } from '../tables.ts';

/** Why a version was skipped, in `error` of its row: its document is already in the index as it is. */
export const unchanged = 'unchanged';

type Version = Pick<
  StoredDocument,
  'id' | 'name' | 'state' | 'error' | 'url' | 'source_id' | 'source_json' | 'containers_json'
>;

export interface SwapPlan {
  activate: number[];
  retire: number[];
  result: StoredResult;
}

/**
 * What changes when all documents of a command have been prepared. `own` are the command's versions: `built`, `error`,
 * or `retired` with the reason why they were skipped. `whole`: documents of the bot that are not among them go, unless
 * all of them have failed.
 */
export function planSwap(whole: boolean, own: readonly Version[], active: readonly Version[]): SwapPlan {
  const built = own.filter(({ state }) => state === 'built');
  const failed = own.filter(({ state }) => state === 'error');
  const skipped = own.filter(({ state, error }) => state === 'retired' && error !== null);
  const replaced = new Set(built.map(({ name }) => name));
  const same = skipped.filter(({ error }) => error === unchanged);
  // A document that can't be read now still answers with its old version.
  const kept = new Set([...same, ...failed].map(({ name }) => name));
  const away = new Set(failed.filter(isSource).map(({ source_json }) => source_json));
  // A folder or page that could not be listed is a version of its own, too.
  const parts = new Set(failed.map(({ source_id }) => source_id));
  const isKept = ({ name, source_json, containers_json }: Version) =>
    kept.has(name) ||
    (source_json !== null && away.has(source_json)) ||
    fromJson<string[]>(containers_json)?.some((container) => parts.has(container));
  const error = failed.length > 0 && built.length + skipped.length === 0 ? summaryOf(failed) : null;
  const dropsOthers = whole && error === null;
  const retired = active.filter((version) => replaced.has(version.name) || (dropsOthers && !isKept(version)));
  return {
    activate: built.map(({ id }) => id),
    retire: retired.map(({ id }) => id),
    result: {
      added: built.map(({ name }) => name),
      skipped: skipped.map(({ name, error }) => ({ name, reason: error ?? '' })),
      failed: failed.map(({ name, error }) => ({ name, error: error ?? '' })),
      ...warningsOf(built),
      error,
    },
  };
}

/** A source that could not be listed to its end is a version of its own. What it held before is not known to be gone. */
export const isSource = ({ url, source_id }: Version) => source_id !== null && source_id === url;

function summaryOf(failed: readonly Version[]): string {
  const [first] = failed;
  const why = `${first?.name}: ${first?.error}`;
  return failed.length === 1 ? why : `none of ${failed.length} documents could be indexed; ${why}`;
}
