import { PayloadTooLarge, Problem, Unavailable } from '../../../contracts/problems.ts';
import { decodeBody, isEncoded } from './decode-body.ts';
import type { RawAnswer } from './send.ts';

interface BodyOptions {
  limit: number;
  signal: AbortSignal;
  /** Asks for the rest from an offset. */
  again(offset: number, version: string): Promise<RawAnswer>;
}

/** How often a download may be continued without having received anything new. */
const mostCuts = 3;

/** The body of an answer, decoded, up to the limit. */
export async function* readBody(answer: RawAnswer, options: BodyOptions): AsyncGenerator<Uint8Array> {
  const { host } = new URL(answer.url);
  const raw = resumed(answer, host, options);
  const decoded = isEncoded(answer.headers)
    ? decodeBody(raw, answer.headers['content-encoding'] ?? '', host)
    : raw;
  let length = 0;
  for await (const chunk of decoded) {
    length += chunk.length;
    if (length > options.limit) throw tooLarge(host, options.limit);
    yield chunk;
  }
}

async function* resumed(first: RawAnswer, host: string, options: BodyOptions): AsyncGenerator<Uint8Array> {
  const version = versionOf(first);
  let answer = first;
  let taken = 0;
  let cuts = 0;
  for (;;) {
    const current = answer;
    try {
      for await (const chunk of current.body as AsyncIterable<Buffer>) {
        taken += chunk.length;
        cuts = 0;
        if (taken > options.limit) throw tooLarge(host, options.limit);
        yield chunk;
      }
      options.signal.throwIfAborted();
      return;
    } catch (error) {
      options.signal.throwIfAborted();
      cuts++;
      if (error instanceof Problem) throw error;
      const cut = new Unavailable(`the connection to ${host} was cut`, { cause: error });
      if (version === undefined || cuts > mostCuts) throw cut;
      answer = await options.again(taken, version);
      if (answer.status !== 206 || !startsAt(answer, taken)) {
        abandon(answer);
        throw cut;
      }
    } finally {
      abandon(current);
    }
  }
}

/** What `If-Range` takes: a strong ETag or a date. Undefined where the body can't be continued. */
function versionOf({ headers }: RawAnswer): string | undefined {
  if (isEncoded(headers) || /^none$/i.test(headers['accept-ranges'] ?? '')) return undefined;
  return headers.etag && !headers.etag.startsWith('W/') ? headers.etag : headers['last-modified'];
}

/** Closes a body that will not be read. */
export function abandon({ body }: Pick<RawAnswer, 'body'>): void {
  body.on('error', () => {});
  body.destroy();
}

const startsAt = ({ headers }: RawAnswer, offset: number) =>
  headers['content-range']?.startsWith(`bytes ${offset}-`) === true && !isEncoded(headers);

export const tooLarge = (host: string, limit: number) =>
  new PayloadTooLarge(`${host} sends more than ${Math.floor(limit / 2 ** 20)} MiB, which is the limit`);
