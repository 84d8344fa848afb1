import { request } from 'undici';
import type { RoutedPod } from './routed-pod.ts';

const patience = 5000;

/** Whether something that speaks HTTP answers at the pod's address. */
export async function probePod(pod: RoutedPod): Promise<boolean> {
  const { statusCode, body } = await request(`${pod.address}/v1/models`, {
    headers: pod.info.pod_secret ? { authorization: `Bearer ${pod.info.pod_secret}` } : {},
    signal: AbortSignal.timeout(patience),
    headersTimeout: patience,
  });
  await body.dump();
  return statusCode < 500;
}
