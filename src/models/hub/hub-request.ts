import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { Unavailable, UpstreamFailed } from '../../contracts/problems.ts';

export interface HubAddress {
  endpoint: string;
  token?: string | undefined;
}

export interface HubAnswer {
  status: number;
  /** The last hop's; where a hop before it spoke of the linked file (size, hash, commit), that is kept. */
  headers: Record<string, string>;
  body: Dispatcher.ResponseData['body'];
  url: string;
}

interface HubRequest {
  headers?: Record<string, string>;
  signal: AbortSignal;
}

const farthestRedirect = 6;
const saidOnTheWay = ['x-repo-commit', 'x-linked-etag', 'x-linked-size'];

/** A silent peer is noticed by who reads the body, who also knows how slow is too slow. */
const dispatcher = new EnvHttpProxyAgent({
  connect: { timeout: 10_000 },
  headersTimeout: 30_000,
  bodyTimeout: 0,
});

/**
 * One request to the hub, followed to the storage that it points to. The token goes to the hub's own origin and to
 * no other: storage addresses are signed, and belong to somebody else.
 */
export async function askHub(hub: HubAddress, address: string, options: HubRequest): Promise<HubAnswer> {
  const said: Record<string, string> = {};
  let url = address;
  for (let hop = 0; hop < farthestRedirect; hop++) {
    const answer = await send(hub, url, options);
    const location = answer.headers.location;
    if (answer.status < 300 || answer.status >= 400 || !location) {
      return { ...answer, headers: { ...answer.headers, ...said } };
    }
    await answer.body.dump();
    for (const name of saidOnTheWay) {
      const value = answer.headers[name];
      if (value !== undefined) said[name] ??= value;
    }
    url = new URL(location, url).href;
  }
  throw new UpstreamFailed(`${new URL(address).host} redirects in a circle`);
}

async function send(hub: HubAddress, url: string, { headers, signal }: HubRequest): Promise<HubAnswer> {
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      headers: {
        'user-agent': 'roundhouse',
        'accept-encoding': 'identity',
        ...headers,
        ...authorization(hub, url),
      },
    });
    return { status: response.statusCode, headers: flat(response.headers), body: response.body, url };
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Unavailable(`${new URL(url).host} can't be reached (${code ?? message})`, { cause: error });
  }
}

/** The token, for the hub's own origin and no other. */
export function authorization({ endpoint, token }: HubAddress, url: string): Record<string, string> {
  const own = new URL(endpoint).origin === new URL(url).origin;
  return own && token ? { authorization: `Bearer ${token}` } : {};
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Lets go of a body that nobody will read. */
export function abandon({ body }: HubAnswer): void {
  body.on('error', () => {});
  body.destroy();
}
