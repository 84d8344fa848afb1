import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RefusedPaths, statusFor } from './refused-paths.ts';
import { tinyPdf } from './tiny-pdf.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export interface StandInContent {
  id: string;
  type: 'document' | 'file' | 'post';
  subject: string;
  /** The number in `/docs/DOC-n`. */
  number?: string;
  html?: string;
  updated?: string;
  file?: { name: string; type: string; content: Buffer };
  attachments?: { id: string; name: string; type: string; content: Buffer }[];
}

export interface StandInPlace {
  id: string;
  name: string;
  /** Path of its page, such as `/community/ops`. */
  path: string;
  contents: StandInContent[];
  places?: StandInPlace[];
}

export interface PortalFaults {
  cap?: number;
  loginInsteadOfPdf?: boolean;
  /** Every n-th request is answered with 429. */
  refuseEvery?: number;
  refused?: RefusedPaths;
  /** A sub-place that contains its parent. */
  cycle?: boolean;
}

interface PortalOptions {
  places: StandInPlace[];
  login?: string;
  password?: string;
  host?: string;
  port?: number;
}

export interface PortalServer extends WebServer {
  faults: PortalFaults;
  places: StandInPlace[];
}

const prefix = "throw 'allowIllegalResourceCall is false.';\n";

/** Jive as the documentation of its REST API v3 describes it. */
export async function startPortalServer({
  places,
  login = 'ivanov',
  password = 'пароль',
  ...at
}: PortalOptions): Promise<PortalServer> {
  const faults: PortalFaults = {};
  const expected = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
  let count = 0;

  const all = (list: StandInPlace[] = places): StandInPlace[] =>
    list.flatMap((place) => [place, ...all(place.places ?? [])]);
  const contents = () => all().flatMap((place) => place.contents.map((content) => ({ place, content })));
  const url = (path: string) => server.url + path;

  const placeJson = ({ id, name, path }: StandInPlace) => ({
    placeID: id,
    id: `9${id}`,
    type: 'space',
    name,
    resources: { html: { ref: url(path) }, self: { ref: url(`/api/core/v3/places/${id}`) } },
  });

  function contentJson({ place, content }: { place: StandInPlace; content: StandInContent }) {
    const { id, type, subject, file, updated = '2026-01-01T00:00:00.000+0000' } = content;
    return {
      contentID: id,
      id: `7${id}`,
      type,
      subject,
      updated,
      content: { type: 'text/html', text: content.html ?? '' },
      parentPlace: { name: place.name },
      resources: { html: { ref: url(`/docs/DOC-${content.number ?? id}`) } },
      ...(file && {
        name: file.name,
        contentType: file.type,
        size: file.content.length,
        binaryURL: url(`/api/core/v3/contents/${id}/data`),
      }),
      attachments: (content.attachments ?? []).map((it) => ({
        id: it.id,
        name: it.name,
        contentType: it.type,
        size: it.content.length,
        url: url(`/api/core/v3/attachments/${it.id}/data`),
      })),
    };
  }

  function sendList(response: ServerResponse, asked: URL, list: unknown[]) {
    const start = Number(asked.searchParams.get('startIndex') ?? 0);
    const size = Math.min(Number(asked.searchParams.get('count') ?? 25), faults.cap ?? 100);
    const next = new URL(asked, server.url);
    next.searchParams.set('startIndex', String(start + size));
    const links = start + size < list.length ? { next: next.href } : {};
    return sendJson(response, { list: list.slice(start, start + size), startIndex: start, links });
  }

  const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(prefix + JSON.stringify(body));
  const problem = (response: ServerResponse, status: number) =>
    sendJson(response, { error: { status, message: 'internal detail' } }, status);

  function serve(request: IncomingMessage, response: ServerResponse): unknown {
    count++;
    const asked = new URL(request.url ?? '', server.url);
    if (faults.refuseEvery && count % faults.refuseEvery === 0) {
      return response.writeHead(429, { 'retry-after': '1' }).end();
    }
    const refused = statusFor(faults.refused, request.url);
    if (refused === 0) return response.destroy();
    if (refused) return problem(response, refused);
    if (request.headers.authorization !== expected) return problem(response, 401);
    const path = asked.pathname;
    const filters = asked.searchParams.getAll('filter');
    if (path === '/api/core/v3/places') return findPlaces(response, asked, filters[0] ?? '');
    if (path === '/api/core/v3/contents') return findContents(response, asked, filters);
    const [, parent] = /^\/api\/core\/v3\/places\/(\w+)\/places$/.exec(path) ?? [];
    const place = all().find(({ id }) => id === parent);
    if (place) {
      const inner = faults.cycle ? [...(place.places ?? []), ...places] : (place.places ?? []);
      return sendList(response, asked, inner.map(placeJson));
    }
    return sendContent(response, path);
  }

  function findPlaces(response: ServerResponse, asked: URL, filter: string) {
    const word = /^search\((.*)\)$/.exec(filter)?.[1]?.toLowerCase();
    const number = /^entityDescriptor\(\d+,(\d+)\)$/.exec(filter)?.[1];
    const found = all().filter(({ id, path, name }) =>
      number === undefined ? `${path} ${name}`.toLowerCase().includes(word ?? '\0') : id === number,
    );
    return sendList(response, asked, found.map(placeJson));
  }

  function findContents(response: ServerResponse, asked: URL, filters: string[]) {
    const number = /^entityDescriptor\(102,(\d+)\)$/.exec(filters[0] ?? '')?.[1];
    const placeId = /^place\(.*\/places\/(\w+)\)$/.exec(filters[0] ?? '')?.[1];
    const found = contents().filter(({ place, content }) =>
      number === undefined ? place.id === placeId : (content.number ?? content.id) === number,
    );
    return sendList(response, asked, found.map(contentJson));
  }

  function sendContent(response: ServerResponse, path: string) {
    const [, id, data] = /^\/api\/core\/v3\/contents\/(\w+)(\/data)?$/.exec(path) ?? [];
    const found = contents().find(({ content }) => content.id === id);
    if (found && !data) return sendJson(response, contentJson(found));
    const [, attached] = /^\/api\/core\/v3\/attachments\/(\w+)\/data$/.exec(path) ?? [];
    const attachments = contents().flatMap(({ content }) => content.attachments ?? []);
    const file = found?.content.file ?? attachments.find((it) => it.id === attached);
    if (file) return response.writeHead(200, { 'content-type': file.type }).end(file.content);
    const [, number] = /^\/docs\/DOC-(\w+)\.pdf$/.exec(path) ?? [];
    const document = contents().find(({ content }) => (content.number ?? content.id) === number)?.content;
    if (!document) return problem(response, 404);
    return faults.loginInsteadOfPdf
      ? response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Login</title></html>')
      : response.writeHead(200, { 'content-type': 'application/pdf' }).end(tinyPdf([document.subject]));
  }

  const server = await startWebServer(serve, at);
  return { ...server, faults, places };
}
