import type { IncomingMessage, ServerResponse } from 'node:http';
import { posix } from 'node:path';
import { type RefusedPaths, statusFor } from './refused-paths.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export interface StandInResource {
  /** `/` is the shared file or folder itself. */
  path: string;
  name?: string;
  content?: Buffer;
  md5?: string;
  id?: string;
  /** Status that requests for it are answered with. */
  status?: number;
}

export interface DriveBFaults {
  cap?: number;
  /** Every n-th request is answered with 429. */
  refuseEvery?: number;
  refused?: RefusedPaths;
  /** What folders say that they hold more than they list. */
  unlisted?: number;
  /** Downloads are cut after this many bytes, until they are continued. */
  cutAfter?: number;
}

export interface DriveBServer extends WebServer {
  faults: DriveBFaults;
  shares: Record<string, StandInResource[]>;
}

/** Yandex Disk as the documentation of its API for public resources describes it. */
export async function startDriveBServer(
  shares: Record<string, StandInResource[]>,
  { token = 'y0_token', ...at }: { token?: string; host?: string; port?: number } = {},
): Promise<DriveBServer> {
  const faults: DriveBFaults = {};
  let count = 0;

  const send = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const refuse = (response: ServerResponse, status: number) =>
    send(response, { error: 'DiskError', description: 'internal detail' }, status);

  const json = (key: string, { path, name, content, md5, id }: StandInResource) => ({
    name: name ?? posix.basename(path),
    path,
    type: content ? 'file' : 'dir',
    resource_id: id ?? `42:${key}${path}`,
    modified: '2026-01-01T00:00:00+00:00',
    ...(content && { size: content.length, md5: md5 ?? `md5-${content.length}` }),
  });

  function serve(request: IncomingMessage, response: ServerResponse): unknown {
    count++;
    const url = new URL(request.url ?? '', server.url);
    if (faults.refuseEvery && count % faults.refuseEvery === 0) {
      return response.writeHead(429, { 'retry-after': '1' }).end();
    }
    const refused = statusFor(faults.refused, request.url);
    if (refused === 0) return response.destroy();
    if (refused) return refuse(response, refused);
    if (url.pathname === '/storage') return download(url, request, response);
    if (request.headers.authorization !== `OAuth ${token}`) return refuse(response, 401);
    const key = url.searchParams.get('public_key') ?? '';
    const path = url.searchParams.get('path') || '/';
    const share = Object.hasOwn(shares, key) ? (shares[key] ?? []) : [];
    const found = share.find((it) => it.path === path);
    if (!found) return refuse(response, 404);
    if (found.status) return refuse(response, found.status);
    if (url.pathname.endsWith('/download')) {
      return send(response, {
        href: `${server.url}/storage?${new URLSearchParams({ key, path })}`,
        method: 'GET',
      });
    }
    if (found.content) return send(response, json(key, found));
    const items = share.filter((it) => it.path !== '/' && posix.dirname(it.path) === path);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 20), faults.cap ?? 200);
    const page = items.slice(offset, offset + limit).map((it) => json(key, it));
    return send(response, {
      ...json(key, found),
      _embedded: { items: page, total: items.length + (faults.unlisted ?? 0), limit, offset },
    });
  }

  function download(url: URL, request: IncomingMessage, response: ServerResponse): unknown {
    const key = url.searchParams.get('key') ?? '';
    const file = shares[key]?.find((it) => it.path === url.searchParams.get('path'));
    if (!file?.content) return refuse(response, 404);
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = file.content.subarray(from);
    const range = from > 0 && {
      'content-range': `bytes ${from}-${file.content.length - 1}/${file.content.length}`,
    };
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length, etag: '"1"', ...range });
    if (faults.cutAfter === undefined || from > 0) return response.end(rest);
    return response.write(rest.subarray(0, faults.cutAfter), () => response.destroy());
  }

  const server = await startWebServer(serve, at);
  return { ...server, faults, shares };
}
