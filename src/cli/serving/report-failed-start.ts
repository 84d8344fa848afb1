/** Reports to the dispatcher that a pod failed before it could load its model. */
export async function reportFailedStart(
  pod: { podId?: string; engine?: string; task?: string; model: string; dispatcher?: string },
  key: string | undefined,
  reason: string,
): Promise<void> {
  // Only the process that chose the pod's id waits for its report.
  if (!pod.dispatcher || !pod.podId) return;
  const { Reporter } = await import('../../pod/reporting/reporter.ts');
  const { silentLogger } = await import('../../platform/telemetry/logger.ts');
  const { podId: pod_id, engine, task, model: model_name, dispatcher } = pod;
  const report = async () => ({ pod_id, engine, task, model_name });
  await new Reporter({ dispatcher, key, interval: 0, logger: silentLogger(), report }).dead(reason);
}
