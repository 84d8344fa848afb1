import { request } from 'undici';
import type { PodAddress, PodReach } from '../../../contracts/dispatcher/pods.ts';
import { Conflict } from '../../../contracts/problems.ts';
import type { PodRegistry } from '../registry.ts';

const timeout = 5000;
/** A pod's health is a few dozen bytes; another program may answer anything. */
const longestAnswer = 4096;

/** Checks a pod that is about to join: whether its id is free, and whether it answers at its address. */
export async function reachPod(
  registry: Pick<PodRegistry, 'get' | 'isLive'>,
  pod: PodAddress,
): Promise<PodReach> {
  const known = registry.get(pod.pod_id);
  const elsewhere = known && registry.isLive(known) ? known.address : pod.pod_address;
  // Two pods with one id would replace each other with every report.
  if (withoutSlash(elsewhere) !== withoutSlash(pod.pod_address)) {
    const { reachable } = await probe({ pod_id: pod.pod_id, pod_address: elsewhere });
    if (reachable) {
      throw new Conflict(`a pod with the id '${pod.pod_id}' serves at ${elsewhere}; use another pod id`);
    }
  }
  return probe(pod);
}

const withoutSlash = (address: string) => address.replace(/\/$/, '');

/** Whether the pod answers at its address, as seen from here; if not, why. */
async function probe({ pod_id, pod_address }: PodAddress): Promise<PodReach> {
  try {
    const found = await podAt(`${withoutSlash(pod_address)}/health`);
    if (found === pod_id) return { reachable: true, reason: null };
    return { reachable: false, reason: 'another program answers there' };
  } catch (error) {
    return { reachable: false, reason: explain(error as NodeJS.ErrnoException) };
  }
}

async function podAt(url: string): Promise<unknown> {
  const { body } = await request(url, { signal: AbortSignal.timeout(timeout), headersTimeout: timeout });
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    if (text.length > longestAnswer) return undefined;
  }
  try {
    return (JSON.parse(text) as { pod_id?: unknown } | null)?.pod_id;
  } catch {
    return undefined;
  }
}

function explain({ code, name, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection is refused';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return `there is no route to it (${code})`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `its name does not resolve (${code})`;
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return 'it does not answer; a firewall may be in the way';
  }
  if (name === 'TimeoutError' || name === 'AbortError') {
    return 'it does not answer; a firewall may be in the way';
  }
  return `the answer is not HTTP (${code ?? message})`;
}
