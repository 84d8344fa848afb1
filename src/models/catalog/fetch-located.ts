import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FetchOptions, fetchFile } from '../files/fetching/fetch-file.ts';
import { sha256Of } from '../files/hash-file.ts';
import { Refused } from '../files/http/answer-problem.ts';
import type { Location } from '../packages/locate-file.ts';
import type { FetchedFile } from './catalog.ts';
import { extractMember } from './extract-member.ts';

interface LocatedDependencies extends Pick<FetchOptions, 'disk' | 'signal' | 'onProgress'> {
  /** Where downloads lie until they are complete. */
  folder: string;
  /** Archives fetched so far, by address. */
  archives: Map<string, string>;
}

/** Fetches a file, or the archive that contains it; it appears as `target` only once its hash is verified. */
export async function fetchLocated(
  { folder, archives, ...options }: LocatedDependencies,
  { remote, member }: Location,
  file: FetchedFile,
  target: string,
): Promise<void> {
  const fetched = join(folder, createHash('sha256').update(remote.url).digest('hex').slice(0, 16));
  // A source that does not answer is tried once: other sources may, and all are tried again later.
  const fetch = () => fetchFile(remote, fetched, { ...options, tries: 1 });
  if (member === undefined) {
    await fetch();
    await mkdir(dirname(target), { recursive: true });
    await rename(fetched, target);
    return;
  }
  if (!archives.has(remote.url)) await fetch();
  archives.set(remote.url, fetched);
  const extracted = `${fetched}.member`;
  await extractMember(fetched, member, extracted, file.size, options.signal);
  const sha256 = await sha256Of(extracted, options.signal);
  if (sha256 !== file.sha256) {
    await rm(extracted, { force: true });
    throw new Refused(`${member} in the package has the hash ${sha256} instead of ${file.sha256}`, {
      code: 'wrong_hash',
    });
  }
  await mkdir(dirname(target), { recursive: true });
  await rename(extracted, target);
}
