import { most } from '../../../documents/writing/limits.ts';
import type { SentPicture } from '../../../documents/writing/web-page.ts';
import { readBytes } from '../../../platform/outgoing/answers/read-answer.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { SystemApi } from '../api/system-api.ts';

/** Bytes of all pictures of a page. */
const mostOfPage = 24 * 2 ** 20;
/** Milliseconds for one picture, and for all of a page. */
const timePerPicture = 15_000;
const timePerPage = 60_000;
const parallel = 4;

interface Deps {
  api: SystemApi;
  outgoing: Outgoing;
}

/**
 * Fetches the pictures of a page, with the credentials of its system only where they lie on its own server. Those that
 * can't be had are left out: a page is worth more than its pictures.
 */
export async function fetchPictures(
  { api, outgoing }: Deps,
  urls: readonly string[],
  { base, signal }: { base: string; signal: AbortSignal },
): Promise<SentPicture[]> {
  const { origin } = new URL(base);
  const waiting = [...urls.entries()];
  const pictures: SentPicture[] = [];
  const enough = AbortSignal.timeout(timePerPage);
  const either = AbortSignal.any([signal, enough]);
  let bytes = 0;

  async function fetchOne(url: string): Promise<Buffer> {
    const options = { limit: most.pictureBytes, time: timePerPicture };
    const isOwn = new URL(url).origin === origin;
    const answer = await (isOwn
      ? api.open(url, { ...options, signal: either })
      : outgoing.open({ url, ...options }, either));
    return readBytes(answer);
  }

  async function fetchSome(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, url] = next;
      if (bytes > mostOfPage || enough.aborted) return;
      const picture = await fetchOne(url).catch(() => undefined);
      signal.throwIfAborted();
      bytes += picture?.length ?? 0;
      if (picture && bytes <= mostOfPage) pictures[at] = { url, bytes: picture };
    }
  }

  await Promise.all(Array.from({ length: Math.min(parallel, urls.length) }, fetchSome));
  return pictures.filter((picture) => picture !== undefined);
}
