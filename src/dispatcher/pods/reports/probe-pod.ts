import { request } from 'undici';
import type { RoutedPod } from '../routed-pod.ts';

const timeout = 5000;

/** Whether the pod's address answers HTTP requests without a server error. */
export async function probePod(pod: RoutedPod): Promise<boolean> {
  const { statusCode, body } = await request(`${pod.address}/v1/models`, {
    headers: pod.info.pod_secret ? { authorization: `Bearer ${pod.info.pod_secret}` } : {},
    signal: AbortSignal.timeout(timeout),
    headersTimeout: timeout,
  });
  await body.dump();
  return statusCode < 500;
}
