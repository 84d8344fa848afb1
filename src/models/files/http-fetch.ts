import { setTimeout as wait } from 'node:timers/promises';
import { EnvHttpProxyAgent, type RequestInit, type Response, fetch as undiciFetch } from 'undici';
import {
  DeadlineExceeded,
  Forbidden,
  NotFound,
  RateLimited,
  Unauthenticated,
  Unavailable,
  UpstreamFailed,
} from '../../contracts/problems.ts';

/** Proxies as the environment names them; a server that does not answer is given up soon, a slow one is not. */
const dispatcher = new EnvHttpProxyAgent({
  connect: { timeout: 8_000 },
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
});

/** A response in the 200s, or a problem that says in words what went wrong. */
export async function fetchOrFail(url: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await undiciFetch(url, { ...options, dispatcher });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new Unavailable(`${new URL(url).host} can't be reached (${causeOf(error)})`, { cause: error });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw problemOf(response, new URL(url));
}

function problemOf(response: Response, { host, pathname }: URL): Error {
  const { status, headers } = response;
  if (status === 401) return new Unauthenticated(`${host} wants an access token for ${pathname}`);
  if (status === 403) return new Forbidden(`${host} does not allow access to ${pathname}`);
  if (status === 404) return new NotFound('file', `${host}${pathname}`);
  if (status === 429) {
    return new RateLimited(`${host} asks to slow down`, {
      retryAfter: Number(headers.get('retry-after')) || 5,
    });
  }
  if (status === 504) return new DeadlineExceeded(`${host} did not answer in time`);
  return new UpstreamFailed(`${host} answered ${status} for ${pathname}`);
}

function causeOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? (error as Error).message;
}

/** Whether trying again may help. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof UpstreamFailed) return !/answered 4\d\d/.test(error.message);
  return error instanceof Unavailable || error instanceof RateLimited || error instanceof DeadlineExceeded;
}

export async function pause(error: unknown, attempt: number, signal: AbortSignal): Promise<void> {
  const asked = error instanceof RateLimited ? (error.retryAfter ?? 0) * 1000 : 0;
  await wait(Math.min(60_000, Math.max(asked, 250 * 2 ** attempt)), undefined, { signal });
}
