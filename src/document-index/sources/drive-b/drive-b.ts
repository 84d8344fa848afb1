import { z } from 'zod';
import { BadRequest, UpstreamFailed } from '../../../contracts/problems.ts';
import { Gone, Refused, statusProblem } from '../../../platform/outgoing/answers/answer-problem.ts';
import type { FailedAnswer, Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSystemApi, type SystemApi } from '../api/system-api.ts';
import { unsupported } from '../files/unsupported.ts';
import { itemProblem } from '../item-problem.ts';
import type { Source, SourceItem } from '../source.ts';
import { type DriveBLink, readDriveBLink } from './drive-b-link.ts';

interface DriveBSettings {
  endpoint: string;
  token?: string | undefined;
}

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
const Download = z.object({ href: z.url({ protocol: /^https?$/ }) });

const perRequest = 200;

/** Yandex Disk, by public links. */
export function createDriveB(deps: {
  outgoing: Outgoing;
  settings: DriveBSettings;
}): Source<{ type: 'drive_b'; url: string }> {
  const { outgoing, settings } = deps;
  const endpoint = settings.endpoint.replace(/\/+$/, '');
  // Files are stored on servers of their own.
  const trusted = (url: URL) =>
    url.origin === new URL(endpoint).origin ||
    (url.protocol === 'https:' && /(?:^|\.)yandex\.(?:net|ru|com)$/.test(url.hostname));
  const createApi = () =>
    createSystemApi(outgoing, {
      async credentials() {
        if (settings.token) return { authorization: `OAuth ${settings.token}` };
        throw new BadRequest('drive_b is not set up: an administrator must set DRIVE_B_TOKEN', {
          code: 'source_not_configured',
        });
      },
      trusted,
      problemOf: driveBProblem,
      advice: 'the token in DRIVE_B_TOKEN has expired or is mistyped',
    });
  const address = (path: string, query: Record<string, string>) =>
    `${endpoint}/v1/disk/public/resources${path}?${new URLSearchParams(query)}`;

  return {
    async *list({ url }, { signal }) {
      const api = createApi();
      const link = readDriveBLink(url);
      yield* listFolder({ api, address, link, url, signal }, link.path, []);
    },
    async fetch({ url }, item, { signal, limit }) {
      const { key } = readDriveBLink(url);
      const query = { public_key: key, path: readDriveBLink(item.url).path };
      const { href } = await createApi().json(Download, address('/download', query), signal);
      // The address is signed, so it needs no token.
      const answer = await outgoing.open({ url: href, limit, trusted, problemOf: fileProblem }, signal);
      return { name: item.name, type: answer.headers['content-type'] ?? null, body: answer.body };
    },
  };
}

interface Listing {
  api: SystemApi;
  address(path: string, query: Record<string, string>): string;
  link: DriveBLink;
  url: string;
  signal: AbortSignal;
}

/** Pages of a folder until the total is reached; then the folders in it. A file lists itself. */
async function* listFolder(listing: Listing, path: string, above: string[]): AsyncGenerator<SourceItem> {
  const { api, address, link, signal } = listing;
  const folders: Resource[] = [];
  for (let offset = 0, total = 1; offset < total; ) {
    const query = {
      public_key: link.key,
      path,
      limit: String(perRequest),
      offset: String(offset),
      sort: 'name',
    };
    const opened = await api.json(Opened, address('', query), signal);
    if (opened.type === 'file') {
      yield fileItem(listing, opened, above);
      return;
    }
    if (offset === 0) above = [...above, opened.name];
    const items = opened._embedded?.items ?? [];
    for (const item of items) {
      if (item.type === 'dir') folders.push(item);
      else yield fileItem(listing, item, above);
    }
    total = items.length === 0 ? 0 : (opened._embedded?.total ?? 0);
    offset += items.length;
  }
  for (const folder of folders) yield* listInner(listing, folder, above);
}

/** A folder without access inside one with access is a problem of that folder alone. */
async function* listInner(listing: Listing, folder: Resource, above: string[]): AsyncGenerator<SourceItem> {
  const inner = listFolder(listing, pathOf(folder), above);
  for (let first = true; ; first = false) {
    const next = await inner.next().catch((error: unknown) => {
      if (!first) throw error;
      return itemProblem(error);
    });
    if ('problem' in next) {
      yield { ...fileItem(listing, folder, above), ...next };
      return;
    }
    if (next.done) return;
    yield next.value;
  }
}

/** Paths of items begin with `/` in public resources, and with `disk:/` elsewhere. */
const pathOf = ({ path }: Resource) => path.replace(/^disk:/, '');

function fileItem({ url, link }: Listing, file: Resource, path: string[]): SourceItem {
  const inside = link.path === '/' && pathOf(file) === '/' ? '' : pathOf(file);
  return {
    id: file.resource_id ?? `${link.key}:${pathOf(file)}`,
    version: file.md5 ?? file.modified ?? null,
    name: file.name,
    url: publicAddress(url, link, inside),
    size: file.size ?? null,
    path,
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

function driveBProblem({ status }: FailedAnswer) {
  switch (status) {
    case 403:
      return new Refused('the link is protected by a password, or its owner forbids access');
    case 404:
    case 410:
      return new Gone('the drive has no such file or folder, or it is no longer public');
    case 406:
    case 409:
    case 413:
      return new Refused(`the drive refuses to give the file out (${status})`);
    case 423:
      return new UpstreamFailed('the drive is being maintained');
    default:
      return undefined;
  }
}

const fileProblem = (answer: FailedAnswer) => driveBProblem(answer) ?? statusProblem(answer);
