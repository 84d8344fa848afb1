import type { PodInfo, PodRecord } from '../../../contracts/dispatcher/pods.ts';
import { type InputIssue, InvalidInput } from '../../../contracts/problems.ts';
import type { PodRegistry } from '../registry.ts';
import type { ReportedPod, RoutedPod } from '../routed-pod.ts';
import { sizeIssues } from './report-size.ts';

/** Applies a pod's report and returns its record. */
export function reportPod(registry: PodRegistry, report: PodInfo, reporter?: string): PodRecord {
  const issues = problemsOf(report, registry.get(report.pod_id ?? '')?.info);
  if (issues.length > 0) throw new InvalidInput(issues);
  return describePod(registry, registry.report(report as ReportedPod, reporter));
}

export function listPods(registry: PodRegistry): PodRecord[] {
  return Array.from(registry.all(), (pod) => describePod(registry, pod));
}

export function describePod(registry: PodRegistry, pod: RoutedPod): PodRecord {
  const { pod_secret: _, ...info } = pod.info;
  return {
    ...info,
    live: registry.isLive(pod),
    in_flight: pod.inFlight,
    reported_at: new Date(pod.reportedAt).toISOString(),
  };
}

function problemsOf(report: PodInfo, known: PodInfo | undefined): InputIssue[] {
  const { pod_id, pod_address } = report;
  const issues = sizeIssues(report, known);
  if (!pod_id) issues.push({ loc: ['body', 'pod_id'], msg: 'Field required', type: 'missing' });
  if (pod_address && !isWebAddress(pod_address)) {
    const msg = 'Input should be a valid URL, such as http://10.0.0.7:8000';
    issues.push({ loc: ['body', 'pod_address'], msg, type: 'url_parsing' });
  }
  return issues;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return !/[?#]/.test(text) && url.username === '' && url.password === '';
}
