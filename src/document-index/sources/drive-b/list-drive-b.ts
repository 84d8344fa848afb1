import { z } from 'zod';
import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { listPart, listRoot, type Part } from '../api/list-part.ts';
import type { SystemApi } from '../api/system-api.ts';
import { unsupported } from '../files/unsupported.ts';
import type { SourceItem } from '../source.ts';
import type { DriveBLink } from './drive-b-link.ts';

const Resource = z.object({
  name: z.string(),
  type: z.string(),
  path: z.string(),
  resource_id: z.string().optional(),
  md5: z.string().optional(),
  size: z.number().optional(),
  modified: z.string().optional(),
  mime_type: z.string().optional(),
  antivirus_status: z.string().optional(),
  public_url: z.string().optional(),
});
const Opened = Resource.extend({
  _embedded: z.object({ items: z.array(Resource), total: z.number() }).optional(),
});
type Resource = z.output<typeof Resource>;

const perRequest = 200;

export interface Listing {
  api: SystemApi;
  address(path: string, query: Record<string, string>): string;
  link: DriveBLink;
  url: string;
  signal: AbortSignal;
}

/** A shared file has no path inside it. */
export const resourceQuery = (key: string, path: string): Record<string, string> => ({
  public_key: key,
  ...(path !== '/' && { path }),
});

type Above = Pick<Part, 'path' | 'containers'>;

/** A shared file, or all files of a shared folder and the folders in it. */
export async function* listShare(listing: Listing): AsyncGenerator<SourceItem> {
  const { link, url } = listing;
  const above = { path: [], containers: [] };
  const root = {
    id: `${link.key}:${link.path}`,
    name: link.path.split('/').at(-1) || link.key,
    url,
    ...above,
  };
  yield* listRoot(root, () => listFolder(listing, link.path, { ...above, containers: [root.id] }));
}

/** Pages of a folder until the total is reached; then the folders in it. A file lists itself. */
async function* listFolder(listing: Listing, path: string, above: Above): AsyncGenerator<SourceItem> {
  const { api, address, link, signal } = listing;
  const folders: Resource[] = [];
  let inside = above;
  let isShort = false;
  for (let offset = 0, total = 1; offset < total; ) {
    const query = {
      ...resourceQuery(link.key, path),
      limit: String(perRequest),
      offset: String(offset),
      sort: 'name',
    };
    const opened = await api.json(Opened, address('', query), signal);
    if (opened.type === 'file') {
      yield fileItem(listing, opened, above);
      return;
    }
    inside = { ...above, path: [...above.path, opened.name] };
    const items = opened._embedded?.items ?? [];
    for (const item of items) {
      if (item.type === 'dir') folders.push(item);
      else yield fileItem(listing, item, inside);
    }
    total = opened._embedded?.total ?? 0;
    offset += items.length;
    isShort = items.length === 0 && offset < total;
    if (isShort) break;
  }
  for (const folder of folders) {
    const { id, name, url } = fileItem(listing, folder, inside);
    const deeper = { path: inside.path, containers: [...inside.containers, id] };
    yield* listPart({ id, name, url, ...inside }, () => listFolder(listing, pathOf(folder), deeper));
  }
  if (isShort) throw new Refused('the drive lists less than the folder holds');
}

/** Paths of items begin with `/` in public resources, and with `disk:/` elsewhere. */
const pathOf = ({ path }: Resource) => path.replace(/^disk:/, '');

function fileItem({ url, link }: Listing, file: Resource, { path, containers }: Above): SourceItem {
  const inside = link.path === '/' && pathOf(file) === '/' ? '' : pathOf(file);
  return {
    id: file.resource_id ?? `${link.key}:${pathOf(file)}`,
    version: file.md5 ?? file.modified ?? null,
    name: file.name,
    url: publicAddress(url, link, inside),
    size: file.size ?? null,
    path,
    containers,
    ...(file.antivirus_status === 'infected'
      ? { problem: 'the drive reports a virus in it' }
      : file.type === 'file' && unsupported(file.name, file.mime_type)),
  };
}

/** The public page of a file in a public folder. */
function publicAddress(address: string, { key }: DriveBLink, inside: string): string {
  if (/^https?:/.test(key)) return key + inside.split('/').map(encodeURIComponent).join('/');
  const url = new URL(address);
  url.searchParams.set('hash', inside === '' ? key : `${key}:${inside}`);
  return url.href;
}
