import { z } from 'zod';
import type { FileHash, RemoteFile } from '../files/fetching/remote-file.ts';
import { answerProblem, Refused } from '../files/http/answer-problem.ts';
import { discard } from '../files/http/close-answer.ts';
import { headersFor, openAddress } from '../files/http/open-address.ts';
import { readText, usualLimits, withinTime } from '../files/http/read-answer.ts';
import type { Origin } from './package-origins.ts';

/** The fields that we need of a project's page in JSON. */
const ProjectPage = z.object({
  files: z.array(
    z.object({
      url: z.string(),
      size: z.int().nonnegative().nullish(),
      hashes: z.record(z.string(), z.string()).nullish(),
    }),
  ),
});

interface ListedPackage {
  url: string;
  size: number | null;
  sha256: string | undefined;
}

/** The wheel of a version of a project. */
export function findWheel(
  index: Origin,
  project: string,
  version: string,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const name = normalised(project, '_');
  const isWheel = (file: string) => file.startsWith(`${name}-${version}-`) && file.endsWith('.whl');
  return findPackage(index, { project, version, kind: 'wheel' }, isWheel, signal);
}

/** The archive that a version of a project is built from. */
export function findSourcePackage(
  index: Origin,
  project: string,
  version: string,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const archive = `${normalised(project, '_')}_${version}.tar.gz`;
  const isSource = (file: string) => file.replaceAll('-', '_') === archive;
  return findPackage(index, { project, version, kind: 'source package' }, isSource, signal);
}

/** Finds a file on the project's page of a simple index, which may be HTML or JSON. */
async function findPackage(
  index: Origin,
  asked: { project: string; version: string; kind: string },
  isWanted: (file: string) => boolean,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const address = { url: `${index.url}/${normalised(asked.project, '-')}/`, headers: index.headers };
  const accept = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5';
  const { page, from } = await withinTime(usualLimits, signal, async (timed) => {
    const answer = await openAddress(address, { headers: { accept }, signal: timed });
    if (answer.status < 300) return { page: await readText(answer, usualLimits, timed), from: answer.url };
    await discard(answer);
    throw answerProblem(answer);
  });
  const listed = page.trimStart().startsWith('{') ? readJson(page, from) : readHtml(page);
  for (const { url: link, size, sha256 } of listed) {
    const url = URL.parse(link, from);
    if (!url) continue;
    const hash = sha256 ?? /^#sha256=(\w+)$/.exec(url.hash)?.[1];
    url.hash = '';
    const name = decoded(url.pathname.split('/').at(-1) ?? '');
    if (!isWanted(name.toLowerCase())) continue;
    // The index's credentials go to its own host only.
    const headers = headersFor(index, url.href);
    return { name, url: url.href, headers, size, hash: toHash(hash), proxied: index.proxied };
  }
  throw new Refused(`${new URL(from).host} has no ${asked.kind} of ${asked.project} ${asked.version}`);
}

function readJson(page: string, url: string): ListedPackage[] {
  try {
    const { files } = ProjectPage.parse(JSON.parse(page));
    return files.map((file) => ({
      url: file.url,
      size: file.size ?? null,
      sha256: file.hashes?.sha256,
    }));
  } catch (error) {
    throw new Refused(`${new URL(url).host} does not answer like a package index`, { cause: error });
  }
}

/** The pattern never looks past the next `<`, so that a hostile page takes no more than linear time. */
function readHtml(page: string): ListedPackage[] {
  return [...page.matchAll(/<a\s[^<>]*?href\s*=\s*["']([^"'<]+)["']/gi)].map(([, href = '']) => ({
    url: href.replaceAll('&amp;', '&'),
    size: null,
    sha256: undefined,
  }));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const toHash = (hex: string | undefined): FileHash | null =>
  hex && /^[0-9a-f]{64}$/i.test(hex) ? { algorithm: 'sha256', hex: hex.toLowerCase() } : null;

const normalised = (project: string, separator: '-' | '_') =>
  project.toLowerCase().replace(/[-_.]+/g, separator);
