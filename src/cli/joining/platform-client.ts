import { PodReach } from '../../contracts/dispatcher/pods.ts';
import { ModelFiles } from '../../contracts/management/model-files.ts';
import { filesPath } from '../../models/remote/fetch-library-model.ts';
import { StartupError } from '../../platform/startup-error.ts';

/** The platform that a pod joins, and the key that it presents there. */
export interface PlatformToJoin {
  /** Without a trailing slash. */
  url: string;
  key: string | undefined;
}

/** Listing hashes files that the platform has not hashed yet, which takes seconds per gigabyte. */
const listTimeout = 600_000;
const usualTimeout = 15_000;

/** Asks the platform whether it can reach a pod. This is also where a wrong address or key is noticed. */
export async function askReach(
  platform: PlatformToJoin,
  pod: { pod_id: string; pod_address: string },
): Promise<PodReach> {
  const answer = await send(platform, '/pods-info/reach/', usualTimeout, pod);
  if (answer.status === 401) throw new StartupError(keyProblem(platform));
  const { error } = (answer.body ?? {}) as { error?: { message?: unknown } | null };
  const reason = typeof error?.message === 'string' ? error.message : undefined;
  if (answer.status === 422 && reason) throw new StartupError(`the platform refuses this pod: ${reason}`);
  if (answer.status === 409 && reason) throw new StartupError(reason);
  if (answer.status === 403 && reason?.includes('with another key')) throw new StartupError(reason);
  if (answer.status === 403) {
    throw new StartupError(`the key lacks the scope pods on ${platform.url}: ${createOne}`);
  }
  const reach = PodReach.safeParse(answer.body);
  if (answer.status === 200 && reach.success) return reach.data;
  throw new StartupError(
    `${platform.url} is not the address of a Roundhouse dispatcher (it answers ${answer.status}); 'roundhouse serve' prints the right one when it starts`,
  );
}

/** The files of a model in the platform's library; undefined if it has no such model, or no library. */
export async function askFiles(
  platform: PlatformToJoin,
  modelId: string,
  { namesOnly = false }: { namesOnly?: boolean } = {},
): Promise<ModelFiles | undefined> {
  const path = `${filesPath(modelId)}${namesOnly ? '?names_only=true' : ''}`;
  const { status, body } = await send(platform, path, namesOnly ? usualTimeout : listTimeout);
  if (status === 404) return undefined;
  // Without a key, a platform in open mode takes pods but keeps its models.
  if (status === 401 || status === 403) return undefined;
  const files = ModelFiles.safeParse(body);
  if (status === 200 && files.success) return files.data;
  const { detail } = (body ?? {}) as { detail?: unknown };
  throw new StartupError(
    `the platform can't list the files of '${modelId}': ${typeof detail === 'string' ? detail : `it answered ${status}`}`,
  );
}

export const headersOf = ({ key }: PlatformToJoin): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {};

const createOne =
  "create a key with 'roundhouse keys create --name <name> --scope pods' on the platform's machine, and pass it with --key";

function keyProblem({ url, key }: PlatformToJoin): string {
  return key === undefined
    ? `the platform at ${url} requires a key: ${createOne}`
    : `the platform at ${url} does not know this key, or it has expired or was revoked: ${createOne}`;
}

async function send(
  platform: PlatformToJoin,
  path: string,
  timeout: number,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const { url } = platform;
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { ...headersOf(platform), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(timeout),
  }).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as { code?: string };
    throw new StartupError(`can't reach a platform at ${url} (${code ?? error.message})`);
  });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}
