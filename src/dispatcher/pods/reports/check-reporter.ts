import { Forbidden } from '../../../contracts/problems.ts';
import { podOfKey } from '../../../platform/auth/keys/pod-keys.ts';
import { allows, type Caller } from '../../../platform/http/access.ts';
import type { PodRegistry } from '../registry.ts';

/**
 * A key with the scope `pods` may report but not list. One that was made for a pod reports that pod alone; others can't
 * take over a live pod that reports with another key.
 */
export function checkReporter(
  registry: Pick<PodRegistry, 'get' | 'isLive'>,
  caller: Caller,
  report: { pod_id?: string | null | undefined } | null | undefined,
): void {
  if (caller.kind !== 'key' || !caller.scopes.includes('pods') || allows(caller.scopes, 'admin')) return;
  if (!report) throw new Forbidden("a key with the scope 'pods' can only report");
  const own = podOfKey(caller.id);
  if (own !== undefined) {
    if (own !== report.pod_id) throw new Forbidden(`this key can only report for the pod '${own}'`);
    return;
  }
  const known = registry.get(report.pod_id ?? '');
  if (known?.reporter === undefined || known.reporter === caller.id || !registry.isLive(known)) return;
  throw new Forbidden(`the pod '${known.id}' reports with another key; use another pod id`);
}
