import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { Unavailable } from '../../../contracts/problems.ts';
import { Refused } from './answer-problem.ts';
import { discard } from './close-answer.ts';
import { unknownHostCode } from './patience.ts';

export interface Address {
  url: string;
  /** Sent to the origin of `url` only, since they may carry credentials: redirects lead to other companies' storage. */
  headers: Record<string, string>;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: Dispatcher.ResponseData['body'];
  /** After redirects. */
  url: string;
  /** Headers of the responses that redirected here, in order. */
  redirects: Record<string, string>[];
}

interface RequestOptions {
  /** Sent to every host on the way. */
  headers?: Record<string, string>;
  signal: AbortSignal;
}

const mostRedirects = 6;

/** Uses the proxies that the environment names. */
const dispatcher = new EnvHttpProxyAgent({
  connect: { timeout: 8_000 },
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
});

/** Sends a GET request and follows redirects. The caller checks the status and reads or abandons the body. */
export async function openAddress(address: Address, options: RequestOptions): Promise<HttpAnswer> {
  const redirects: HttpAnswer['redirects'] = [];
  let { url } = address;
  while (redirects.length < mostRedirects) {
    const answer = await send(url, { ...options.headers, ...headersFor(address, url) }, options.signal);
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || !location) return { ...answer, redirects };
    await discard(answer);
    redirects.push(answer.headers);
    url = redirected(location, url);
  }
  throw new Refused(`${new URL(address.url).host} redirects more than ${mostRedirects} times`);
}

function redirected(location: string, from: string): string {
  const url = URL.parse(location, from);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new Refused(`${new URL(from).host} redirects to an address that is not HTTP`);
}

/** The headers of an address that may be sent to a URL that it led to. */
export function headersFor(address: Address, url: string): Record<string, string> {
  return new URL(address.url).origin === new URL(url).origin ? address.headers : {};
}

async function send(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Omit<HttpAnswer, 'redirects'>> {
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      headers: { 'user-agent': 'roundhouse', 'accept-encoding': 'identity', ...headers },
    });
    return { status: response.statusCode, headers: flat(response.headers), body: response.body, url };
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(new URL(url).host, error as NodeJS.ErrnoException);
  }
}

function unreachable(host: string, error: NodeJS.ErrnoException): Error {
  const { code, message } = error;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new Unavailable(
      `the name ${host} does not resolve (${code}): check the network and DNS of this machine, and the address in the settings`,
      { code: unknownHostCode, cause: error },
    );
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new Refused(`${host} sends headers that are too large`, { cause: error });
  }
  return new Unavailable(`${host} can't be reached (${code ?? message})`, { cause: error });
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
