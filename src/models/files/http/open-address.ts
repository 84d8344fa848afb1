import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';

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
    await answer.body.dump();
    redirects.push(answer.headers);
    url = new URL(location, url).href;
  }
  throw new UpstreamFailed(`${new URL(address.url).host} redirects more than ${mostRedirects} times`);
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
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Unavailable(`${new URL(url).host} can't be reached (${code ?? message})`, { cause: error });
  }
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Closes a body that will not be read. */
export function abandon({ body }: HttpAnswer): void {
  body.on('error', () => {});
  body.destroy();
}
