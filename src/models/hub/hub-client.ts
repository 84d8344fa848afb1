import { z } from 'zod';
import type { FileHash, RemoteFile } from '../files/fetching/remote-file.ts';
import { Refused } from '../files/http/answer-problem.ts';
import { abandon, discard } from '../files/http/close-answer.ts';
import { type HttpAnswer, openAddress } from '../files/http/open-address.ts';
import { patiently } from '../files/http/patience.ts';
import { type MetadataLimits, readText, usualLimits, withinTime } from '../files/http/read-answer.ts';
import { type Asked, type HubAddress, hubProblem } from './hub-problems.ts';
import type { ModelReference } from './model-reference.ts';

/** A file as it is listed. A mirror's listing may lack size and hash; then the file's own response has them. */
export interface ListedFile {
  path: string;
  size: number | null;
  hash: FileHash | null;
}

export interface HubFile extends ListedFile {
  size: number;
  hash: FileHash;
}

export interface HubRepository {
  name: string;
  commit: string;
  files: ListedFile[];
  license: string | null;
  pipelineTag: string | null;
  library: string | null;
  /** The model that it was quantised or fine-tuned from, as its authors state. */
  baseModel: string | null;
}

const mostFiles = 20_000;

/** The fields that we need of the hub's response. */
const ModelInfo = z.object({
  id: z.string().optional(),
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  pipeline_tag: z.string().nullish(),
  library_name: z.string().nullish(),
  cardData: z
    .object({ license: z.unknown(), license_name: z.unknown(), base_model: z.unknown() })
    .partial()
    .nullish(),
  tags: z.array(z.string()).nullish(),
  siblings: z
    .array(
      z.object({
        rfilename: z.string(),
        size: z.int().nonnegative().nullish(),
        blobId: z.string().nullish(),
        lfs: z
          .object({ sha256: z.string().nullish(), oid: z.string().nullish(), size: z.int().nullish() })
          .nullish(),
      }),
    )
    .max(mostFiles),
});
type ModelInfo = z.infer<typeof ModelInfo>;

export interface HubClient {
  /** The repository at a revision, pinned to the commit that the revision stands for now. */
  repository(reference: ModelReference, signal: AbortSignal): Promise<HubRepository>;
  /** A file of the repository, as the download engine takes it. */
  remoteFile(repository: HubRepository, file: ListedFile): RemoteFile;
  /** The headers of a file's response; those of the hub itself, where it redirects to storage, come first. */
  describeFile(
    repository: HubRepository,
    file: ListedFile,
    signal: AbortSignal,
  ): Promise<Record<string, string>>;
}

export interface HubSettings extends HubAddress {
  /** Requests must go through a proxy that the environment names. */
  proxied?: boolean;
  /** For answers that describe models and files. */
  limits?: MetadataLimits;
}

export function createHubClient(settings: HubSettings): HubClient {
  const { limits = usualLimits } = settings;
  const address = { ...settings, endpoint: settings.endpoint.replace(/\/+$/, '') };

  const headers: Record<string, string> = address.token ? { authorization: `Bearer ${address.token}` } : {};

  async function ask(
    url: string,
    asked: Asked,
    options: { headers?: Record<string, string>; signal: AbortSignal },
  ): Promise<HttpAnswer> {
    const answer = await openAddress({ url, headers }, options);
    if (answer.status < 300) return answer;
    await discard(answer);
    throw hubProblem(address, answer, asked);
  }

  const fileUrl = ({ name, commit }: HubRepository, { path }: ListedFile) =>
    `${address.endpoint}/${name}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;

  return {
    repository: ({ repository, revision }, signal) =>
      patiently(signal, () =>
        withinTime(limits, signal, async (timed) => {
          const url = `${address.endpoint}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
          const answer = await ask(url, { repository, revision }, { signal: timed });
          const info = readInfo(await readText(answer, limits, timed), answer.url);
          return toRepository(repository, info);
        }),
      ),
    remoteFile: (repository, file) => ({
      name: file.path,
      url: fileUrl(repository, file),
      headers,
      size: file.size,
      hash: file.hash,
      proxied: settings.proxied,
      problemOf: (answer) => hubProblem(address, answer, { repository: repository.name, file: file.path }),
    }),
    describeFile: (repository, file, signal) =>
      patiently(signal, () =>
        withinTime(limits, signal, async (timed) => {
          const asked = { repository: repository.name, file: file.path };
          const range = { range: 'bytes=0-0' };
          const answer = await ask(fileUrl(repository, file), asked, { headers: range, signal: timed });
          abandon(answer);
          return Object.assign({}, answer.headers, ...answer.redirects.toReversed());
        }),
      ),
  };
}

function readInfo(text: string, url: string): ModelInfo {
  const parsed = ModelInfo.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const { host } = new URL(url);
  const tooMany = parsed.error.issues.some(({ code, path }) => code === 'too_big' && path.length === 1);
  throw tooMany
    ? new Refused(`${host} lists more than ${mostFiles} files in the repository`, { cause: parsed.error })
    : new Refused(`${host} does not answer like a model hub`, { cause: parsed.error });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRepository(name: string, info: ModelInfo): HubRepository {
  const tagged = info.tags?.find((tag) => tag.startsWith('license:'))?.slice('license:'.length);
  const card = info.cardData ?? {};
  const license = card.license === 'other' ? (card.license_name ?? 'other') : card.license;
  return {
    name,
    commit: info.sha,
    license: typeof license === 'string' ? license : (tagged ?? null),
    pipelineTag: info.pipeline_tag ?? null,
    library: info.library_name ?? null,
    baseModel: firstText(card.base_model),
    files: info.siblings.map(({ rfilename, size, blobId, lfs }) => {
      const sha256 = lfs?.sha256 ?? lfs?.oid;
      return {
        path: safePath(rfilename),
        size: lfs?.size ?? size ?? null,
        hash: (sha256 ? readEtag(sha256) : null) ?? (blobId && !lfs ? readEtag(blobId) : null),
      };
    }),
  };
}

/** A string, or the first of a list. */
function firstText(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : null;
}

/** Asks the file itself for what its listing lacks. */
export async function completeFile(
  hub: HubClient,
  repository: HubRepository,
  file: ListedFile,
  signal: AbortSignal,
): Promise<HubFile> {
  if (file.size !== null && file.hash) return { ...file, size: file.size, hash: file.hash };
  const headers = await hub.describeFile(repository, file, signal);
  const size = file.size ?? Number(headers['x-linked-size'] ?? headers['content-range']?.split('/')[1]);
  const hash = file.hash ?? readEtag(headers['x-linked-etag'] ?? headers.etag);
  if (hash && Number.isSafeInteger(size)) return { path: file.path, size, hash };
  throw new Refused(`the hub gives no size or no hash for ${file.path}, so a download could not be verified`);
}

/** An ETag of the hub is the hash itself: 64 digits of SHA-256, or 40 of git's SHA-1. */
function readEtag(etag: string | undefined): FileHash | null {
  const hex = etag?.replace(/^W\//, '').replaceAll('"', '').toLowerCase() ?? '';
  if (/^[0-9a-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex };
  return /^[0-9a-f]{40}$/.test(hex) ? { algorithm: 'git-sha1', hex } : null;
}

/** The names come from the repository's authors, and become paths here. */
function safePath(path: string): string {
  const parts = path.split('/');
  const bad = parts.some((part) => part === '' || part === '.' || part === '..') || /[\\\0]/.test(path);
  const long = path.length > 1024 || parts.some((part) => Buffer.byteLength(part) > 200);
  if (bad || long) {
    throw new Refused(`the repository contains a file named '${path.slice(0, 200)}', which is refused`);
  }
  return path;
}
