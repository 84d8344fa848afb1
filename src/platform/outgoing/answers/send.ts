import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { Problem } from '../../../contracts/problems.ts';
import { checkUrl, notAllowed, notAllowedCode } from '../addresses/check-url.ts';
import type { OutgoingRequest } from '../outgoing.ts';
import { connectionProblem, Refused } from './answer-problem.ts';
import { createCookies } from './cookies.ts';

/** An answer whose body is as the server sent it. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  url: string;
  body: Readable;
}

export interface Agents {
  guarded: Dispatcher;
  /** For trusted origins. */
  plain: Dispatcher;
}

const mostRedirects = 10;

/** Sends a request and follows redirects; every server on the way is checked anew. */
export async function send(agents: Agents, asked: OutgoingRequest, signal: AbortSignal): Promise<RawAnswer> {
  const first = checkUrl(asked.url);
  const cookies = createCookies();
  let url = first;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const headers = {
      'user-agent': 'roundhouse',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...asked.headers,
      ...cookies.for(url),
      ...(url.origin === first.origin && asked.credentials),
    };
    const answer = await sendOnce(
      agents,
      url,
      { ...asked, headers },
      signal,
      redirects > 0 ? first : undefined,
    );
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400) return answer;
    discard(answer.body);
    if (!location || asked.method === 'POST') throw new Refused(`${url.host} answered ${answer.status}`);
    cookies.keep(url, answer.setCookies);
    url = redirected(location, url);
  }
  throw new Refused(`${first.host} redirects more than ${mostRedirects} times`);
}

/** The new address is not named to the caller: it may be an internal one. */
function redirected(location: string, from: URL): URL {
  try {
    return checkUrl(utf8(location), from.href);
  } catch {
    throw notAllowed(`${from.host} redirects to an address that is not allowed`);
  }
}

/** Servers that put other letters than ASCII into headers send UTF-8, which Node reads as Latin-1. */
function utf8(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : header;
}

async function sendOnce(
  { guarded, plain }: Agents,
  url: URL,
  { method = 'GET', headers, body, trusted }: OutgoingRequest,
  signal: AbortSignal,
  redirectedFrom: URL | undefined,
): Promise<RawAnswer & { setCookies: string[] }> {
  try {
    const dispatcher = trusted?.(url) ? plain : guarded;
    const answer = await request(url, { dispatcher, method, headers, body: body ?? null, signal });
    const setCookies = [answer.headers['set-cookie'] ?? []].flat();
    return {
      status: answer.statusCode,
      headers: flat(answer.headers),
      body: answer.body,
      url: url.href,
      setCookies,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (redirectedFrom && error instanceof Problem && error.code === notAllowedCode) {
      throw notAllowed(`${redirectedFrom.host} redirects to an address that is not allowed`);
    }
    throw error instanceof Problem ? error : connectionProblem((redirectedFrom ?? url).host, error);
  }
}

/** Reads what is left of a short body, so that the connection can be used again; closes it where there is more. */
export function discard(body: Readable): void {
  let length = 0;
  body.on('error', () => {});
  body.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > 2 ** 16) body.destroy();
  });
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
