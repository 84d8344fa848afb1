import { Forbidden } from '../../contracts/problems.ts';
import { podOfKey } from '../../platform/auth/pod-keys.ts';
import { allows, type Caller } from '../../platform/http/access.ts';

/** A key with the scope `pods` may report but not list, and one that was made for a pod reports that pod alone. */
export function checkReporter(
  caller: Caller,
  report: { pod_id?: string | null | undefined } | null | undefined,
): void {
  if (caller.kind !== 'key' || !caller.scopes.includes('pods') || allows(caller.scopes, 'admin')) return;
  if (!report) throw new Forbidden("a key with the scope 'pods' can only report");
  const own = podOfKey(caller.id);
  if (own !== undefined && own !== report.pod_id)
    throw new Forbidden(`this key can only report for the pod '${own}'`);
}
