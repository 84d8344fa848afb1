import { Refused, rateLimitedCode } from '../../../platform/outgoing/answers/answer-problem.ts';
import { contradicts, looksLikeHtml, peek } from '../files/peek.ts';
import type { FetchedFile, FetchOptions } from '../source.ts';
import { isOfPart } from './list-part.ts';
import type { SystemApi } from './system-api.ts';

type Body = AsyncIterable<Uint8Array>;

/**
 * A PDF that the system makes, as `change` leaves it; undefined where it sends something else (a login page, or an error
 * in HTML), or breaks off while `change` reads it.
 */
export async function fetchExport(
  api: SystemApi,
  url: string,
  options: FetchOptions,
  change: (file: Body) => Promise<Body> = async (file) => file,
): Promise<Body | undefined> {
  try {
    const answer = await api.open(url, options);
    const { head, body } = await peek(answer.body, 1_024);
    if (head.toString('latin1').includes('%PDF-')) return await change(body);
    answer.close();
    return undefined;
  } catch (error) {
    options.signal.throwIfAborted();
    // An export that the server can't make, or not to its end, still leaves the page itself.
    if (isOfPart(error) && error.code !== rateLimitedCode) return undefined;
    throw error;
  }
}

const asksForLogin = (head: Buffer) =>
  /type\s*=\s*["']?password|<title>[^<]{0,200}(?:log ?in|sign ?in|вход)/i.test(head.toString('utf8'));

/** A file as it was uploaded. */
export async function fetchUpload(
  api: SystemApi,
  { name, url }: { name: string; url: string },
  options: FetchOptions,
): Promise<FetchedFile> {
  const answer = await api.open(url, options);
  const { head, body } = await peek(answer.body, 4_096);
  // Files of other types may be pages: Word opens HTML that is named .doc.
  if (contradicts(name, head) || (looksLikeHtml(head) && asksForLogin(head))) {
    answer.close();
    throw new Refused(
      `${new URL(url).host} sends ${looksLikeHtml(head) ? 'a page' : 'something else'} instead of the file ${name}`,
    );
  }
  return { name, type: answer.headers['content-type'] ?? null, body };
}
