import type { Session } from '../../database/database.ts';
import { claimWork, lockQueue } from '../claim-store.ts';
import type { WorkKind } from '../work-kind.ts';
import type { WorkRow } from '../work-row.ts';
import { afterCrash } from './outcomes.ts';
import {
  findAbandoned,
  type Hold,
  heldBy,
  renewLeases,
  type Settlement,
  saveProgress,
  settleWork,
} from './settle-store.ts';

export interface Turn {
  runner: string;
  machine: string;
  kinds: Readonly<Record<string, WorkKind>>;
  now: number;
  leaseUntil: number;
  settlements: readonly Settlement[];
  progress: readonly { hold: Hold; text: string }[];
  /** Check which of the running items this runner still holds. */
  check: boolean;
  /** Renew the leases of the running items. */
  renew: boolean;
  /** Look for items whose process died. `alone`: no other process can be alive. */
  recover: boolean;
  alone: boolean;
  claims: readonly { kind: string; limit: number }[];
  /** Items that are still running in this process; they are not claimed again until their run returns. */
  running: readonly number[];
}

interface TurnResult {
  changed: WorkRow[];
  claimed: WorkRow[];
  /** With `check`: the claim under which this runner still holds each item. */
  held: Map<number, number> | null;
  unblocked: boolean;
}

/** Does all of the runner's reads and writes in one transaction. */
export async function takeTurn(session: Session, turn: Turn): Promise<TurnResult> {
  const { runner, machine, now, leaseUntil, running } = turn;
  await lockQueue(session);
  const settled = await settleWork(session, turn.settlements, now);
  const recovered = await settleWork(session, turn.recover ? await recoveries(session, turn) : [], now);
  const changed = [...settled.rows, ...recovered.rows];
  for (const { hold, text } of turn.progress) {
    const row = await saveProgress(session, hold, text);
    if (row) changed.push(row);
  }
  if (turn.renew) await renewLeases(session, runner, running, leaseUntil);
  const held = turn.check ? await heldBy(session, runner) : null;
  const claimed: WorkRow[] = [];
  for (const { kind, limit } of turn.claims) {
    const claim = { kind, limit, runner, machine, now, leaseUntil, except: running };
    claimed.push(...(await claimWork(session, claim)));
  }
  return { changed, claimed, held, unblocked: settled.unblocked || recovered.unblocked };
}

/** For a killed item the outcome has no effect, because its state fences it off; only its keys are released. */
async function recoveries(session: Session, { kinds, now, ...turn }: Turn): Promise<Settlement[]> {
  const rows = await findAbandoned(session, { ...turn, kinds: Object.keys(kinds), now });
  return rows.flatMap((row) => {
    const kind = kinds[row.kind];
    if (!kind || row.runner === null) return [];
    const { seq, claim } = row;
    return [{ seq, runner: row.runner, claim, outcome: afterCrash(kind, row, now), progress: null }];
  });
}
