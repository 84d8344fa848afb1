import { z } from 'zod';
import { BadRequest, UpstreamFailed } from '../../contracts/problems.ts';
import { patiently } from '../files/fetching/patience.ts';
import { hubProblem } from './hub-problems.ts';
import { abandon, askHub, authorization, type HubAddress, type HubAnswer } from './hub-request.ts';
import type { ModelReference } from './model-reference.ts';

/** How a file's bytes are checked: LFS files by SHA-256, small ones by the id that git gives them. */
export interface FileHash {
  algorithm: 'sha256' | 'git-sha1';
  hex: string;
}

/** A file as the listing has it. A mirror's listing may lack size and hash: then the file's own answer tells. */
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
  /** What it was made from (quantised, fine-tuned), by its maker's word. */
  baseModel: string | null;
}

/** What the hub sends, read for the fields that we need. */
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
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().nonnegative().nullish(),
      blobId: z.string().nullish(),
      lfs: z
        .object({ sha256: z.string().nullish(), oid: z.string().nullish(), size: z.int().nullish() })
        .nullish(),
    }),
  ),
});
type ModelInfo = z.infer<typeof ModelInfo>;

export interface HubClient {
  readonly address: HubAddress;
  /** The repository at a revision, which is pinned to the commit it stands for now. */
  repository(reference: ModelReference, signal: AbortSignal): Promise<HubRepository>;
  /** Where a file is asked for. */
  fileUrl(repository: string, commit: string, path: string): string;
  /** Opens a file, or part of it. Refusals are thrown; the body is the caller's to read. */
  open(
    url: string,
    asked: { repository: string; file: string; range?: string; signal: AbortSignal },
  ): Promise<HubAnswer>;
  /** The address and headers to read a file with over a plain connection; null where a proxy stands between. */
  directAddress(url: string): { url: URL; headers: Record<string, string> } | null;
}

export interface HubSettings extends HubAddress {
  /** Requests must go through a proxy that the environment names. */
  proxied?: boolean;
}

export function createHubClient(settings: HubSettings): HubClient {
  const address = { ...settings, endpoint: settings.endpoint.replace(/\/+$/, '') };

  async function ask(
    url: string,
    asked: { repository: string; revision?: string; file?: string },
    options: { headers?: Record<string, string>; signal: AbortSignal },
  ) {
    const answer = await askHub(address, url, options);
    if (answer.status < 300) return answer;
    await answer.body.dump();
    throw hubProblem(address, answer, asked);
  }

  return {
    address,
    repository: (reference, signal) =>
      patiently(signal, async () => {
        const { repository, revision } = reference;
        const url = `${address.endpoint}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
        const answer = await ask(url, { repository, revision }, { signal });
        return toRepository(repository, await readInfo(answer));
      }),
    fileUrl: (repository, commit, path) =>
      `${address.endpoint}/${repository}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`,
    directAddress: (url) =>
      settings.proxied ? null : { url: new URL(url), headers: authorization(address, url) },
    open: (url, { repository, file, range, signal }) =>
      ask(url, { repository, file }, { headers: range ? { range } : {}, signal }),
  };
}

async function readInfo(answer: HubAnswer): Promise<ModelInfo> {
  const parsed = ModelInfo.safeParse(await answer.body.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new UpstreamFailed(`${new URL(answer.url).host} does not speak as a model hub does`, {
    cause: parsed.error,
  });
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

/** A text, or the first of several. */
function firstText(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : null;
}

/** Asks the file itself for what its listing did not say. */
export async function completeFile(
  hub: HubClient,
  { name, commit }: HubRepository,
  file: ListedFile,
  signal: AbortSignal,
): Promise<HubFile> {
  if (file.size !== null && file.hash) return { ...file, size: file.size, hash: file.hash };
  const url = hub.fileUrl(name, commit, file.path);
  const answer = await patiently(signal, () =>
    hub.open(url, { repository: name, file: file.path, range: 'bytes=0-0', signal }),
  );
  abandon(answer);
  const { headers } = answer;
  const size = file.size ?? Number(headers['x-linked-size'] ?? headers['content-range']?.split('/')[1]);
  const hash = file.hash ?? readEtag(headers['x-linked-etag'] ?? headers.etag);
  if (hash && Number.isSafeInteger(size)) return { path: file.path, size, hash };
  throw new UpstreamFailed(
    `the hub gives no size or no hash for ${file.path}, so what comes could not be checked`,
  );
}

/** An ETag of the hub is the hash itself: 64 digits of SHA-256, or the 40 of git. */
export function readEtag(etag: string | undefined): FileHash | null {
  const hex = etag?.replace(/^W\//, '').replaceAll('"', '').toLowerCase() ?? '';
  if (/^[0-9a-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex };
  return /^[0-9a-f]{40}$/.test(hex) ? { algorithm: 'git-sha1', hex } : null;
}

/** The names come from whoever made the repository, and become paths here. */
function safePath(path: string): string {
  const parts = path.split('/');
  const bad = parts.some((part) => part === '' || part === '.' || part === '..') || /[\\\0]/.test(path);
  if (bad) throw new BadRequest(`the repository holds a file with the name '${path}', which is refused`);
  return path;
}
