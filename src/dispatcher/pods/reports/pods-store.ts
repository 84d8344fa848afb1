import { sql } from 'kysely';
import type { Session } from '../../../platform/database/database.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';
import type { ReportedPod } from '../routed-pod.ts';

export interface StoredPod {
  info: ReportedPod;
  reportedAt: number;
}

export interface KnownPod extends StoredPod {
  retired: boolean;
}

/** Lists pods that reported after the given time, and all retired ones, oldest report first. */
export async function listPods({ query }: Session, after = 0): Promise<KnownPod[]> {
  const rows = await query
    .selectFrom('pods')
    .selectAll()
    .where((row) => row.or([row('reported_at', '>', after), row('retired', '=', 1)]))
    .orderBy('reported_at')
    .execute();
  return rows.map((row) => ({
    info: fromJson(row.info),
    reportedAt: Number(row.reported_at),
    retired: row.retired === 1,
  }));
}

/** Saves reports. A newer stored report is never overwritten by an older one; a retirement is permanent. */
export async function savePods({ query }: Session, pods: readonly StoredPod[]): Promise<void> {
  for (let at = 0; at < pods.length; at += 200) {
    const rows = pods.slice(at, at + 200).map(({ info, reportedAt }) => ({
      pod_id: info.pod_id,
      info: toJson(info),
      reported_at: reportedAt,
      retired: info.retired ? 1 : 0,
    }));
    await query
      .insertInto('pods')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('pod_id')
          .doUpdateSet({ info: sql`excluded.info`, reported_at: sql`excluded.reported_at` })
          .where('pods.reported_at', '<=', sql<number>`excluded.reported_at`),
      )
      .execute();
    const retired = rows.filter((row) => row.retired === 1).map((row) => row.pod_id);
    if (retired.length > 0) {
      await query.updateTable('pods').set({ retired: 1 }).where('pod_id', 'in', retired).execute();
    }
  }
}

export async function deletePods({ query }: Session, podIds: readonly string[]): Promise<void> {
  for (let at = 0; at < podIds.length; at += 500) {
    await query
      .deleteFrom('pods')
      .where('pod_id', 'in', podIds.slice(at, at + 500))
      .execute();
  }
}
