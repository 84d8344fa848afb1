import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { type RefusedPaths, statusFor } from './refused-paths.ts';
import { tinyPdf } from './tiny-pdf.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export interface StandInAttachment {
  id: string;
  title: string;
  type: string;
  content: Buffer;
  version?: number;
}

export interface StandInPage {
  id: string;
  title: string;
  parent?: string;
  version?: number;
  html?: string;
  attachments?: StandInAttachment[];
}

/** What real servers do now and then. */
export interface WikiFaults {
  /** Most entries per answer, whatever limit is asked for. */
  cap?: number;
  /** A login page with status 200 instead of a PDF. */
  loginInsteadOfPdf?: boolean;
  /** Pages whose export fails with 500. */
  brokenExports?: string[];
  /** Exports break off after some kilobytes. */
  cutExports?: boolean;
  /** Search is not available. */
  noSearch?: boolean;
  /** Attachments are not part of listings. */
  noExpansion?: boolean;
  /** The search index is empty. */
  emptySearch?: boolean;
  refused?: RefusedPaths;
  rateLimit?: RateLimit;
  latency?: number;
}

interface WikiOptions {
  spaces: Record<string, { name: string; pages: StandInPage[] }>;
  token?: string;
  /** Path under which the wiki lives, such as `/confluence`. */
  context?: string;
  host?: string;
  port?: number;
}

export interface WikiServer extends WebServer {
  faults: WikiFaults;
  spaces: WikiOptions['spaces'];
  base: string;
}

/** Confluence Data Center as its REST documentation describes it: content, search, attachments and the PDF export. */
export async function startWikiServer({
  spaces,
  token = 'wiki-token',
  context = '',
  ...at
}: WikiOptions): Promise<WikiServer> {
  const faults: WikiFaults = {};
  let limit: (() => number | undefined) | undefined;

  const placed = () =>
    Object.entries(spaces).flatMap(([key, { name, pages }]) => pages.map((page) => ({ page, key, name })));
  type Placed = ReturnType<typeof placed>[number];
  const find = (id: string) => placed().find(({ page }) => page.id === id);

  /** Tests change pages between requests, so what lies above a page is found anew for each request. */
  function ancestry(): (page: StandInPage) => { id: string; title: string }[] {
    const pages = new Map(placed().map(({ page }) => [page.id, page]));
    const above = (page: StandInPage): { id: string; title: string }[] => {
      const parent = pages.get(page.parent ?? '');
      return parent ? [...above(parent), { id: parent.id, title: parent.title }] : [];
    };
    return above;
  }

  const attachmentJson = (page: StandInPage) => (it: StandInAttachment) => ({
    id: it.id,
    type: 'attachment',
    title: it.title,
    version: { number: it.version ?? 1 },
    extensions: { mediaType: it.type, fileSize: it.content.length },
    _links: {
      download: `/download/attachments/${page.id}/${encodeURIComponent(it.title)}?version=${it.version ?? 1}`,
    },
  });

  function pageJson({ page, key, name }: Placed, expand: string, above = ancestry()) {
    const expanded = !faults.noExpansion && expand.includes('children.attachment');
    return {
      id: page.id,
      type: 'page',
      status: 'current',
      title: page.title,
      ...(expand.includes('version') && { version: { number: page.version ?? 1 } }),
      ...(expand.includes('space') && { space: { key, name } }),
      ...(expand.includes('ancestors') && { ancestors: above(page) }),
      ...(expand.includes('body.export_view') && { body: { export_view: { value: page.html ?? '' } } }),
      ...(expanded && {
        children: { attachment: { results: (page.attachments ?? []).map(attachmentJson(page)), _links: {} } },
      }),
      _links: { webui: `/display/${key}/${encodeURIComponent(page.title).replaceAll('%20', '+')}` },
    };
  }

  function list(url: URL, all: unknown[]): unknown {
    const start = Number(url.searchParams.get('start') ?? 0);
    const size = Math.min(Number(url.searchParams.get('limit') ?? 25), faults.cap ?? 200);
    const results = all.slice(start, start + size);
    const next = new URL(url);
    next.searchParams.set('start', String(start + results.length));
    const more = start + results.length < all.length && {
      next: next.pathname.slice(context.length) + next.search,
    };
    return {
      results,
      start,
      limit: size,
      size: results.length,
      _links: { base: 'https://elsewhere.example', context, ...more },
    };
  }

  const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const problem = (response: ServerResponse, status: number) =>
    sendJson(response, { statusCode: status, message: 'com.atlassian.confluence: internal detail' }, status);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '', 'http://wiki');
    const path = url.pathname.slice(context.length);
    if (faults.latency) await wait(faults.latency);
    if (faults.rateLimit) limit ??= createRateLimit(faults.rateLimit);
    const seconds = limit?.();
    if (seconds !== undefined) return response.writeHead(429, { 'retry-after': String(seconds) }).end();
    const refused = statusFor(faults.refused, request.url);
    if (refused === 0) return response.destroy();
    if (refused) return problem(response, refused);
    if (!url.pathname.startsWith(context)) return problem(response, 404);
    if (request.headers.authorization !== `Bearer ${token}`) {
      if (path.startsWith('/rest/')) return problem(response, 401);
      return response.writeHead(302, { location: `${context}/login.action` }).end();
    }
    if (path === '/rest/api/content' || path === '/rest/api/content/search')
      return search(url, path, response);
    const [, id = '', rest = ''] = /^\/rest\/api\/content\/(\d+)(\/.*)?$/.exec(path) ?? [];
    const found = find(id);
    const expand = url.searchParams.get('expand') ?? '';
    if (rest === '/descendant/page') return problem(response, 501);
    if (found && rest === '') return sendJson(response, pageJson(found, expand));
    if (found && rest === '/child/page') {
      const children = placed().filter(({ page }) => page.parent === id);
      return sendJson(
        response,
        list(
          url,
          children.map((it) => pageJson(it, expand)),
        ),
      );
    }
    if (found && rest === '/child/attachment') {
      return sendJson(response, list(url, (found.page.attachments ?? []).map(attachmentJson(found.page))));
    }
    if (path === '/spaces/flyingpdf/pdfpageexport.action') return exportPdf(url, response);
    const [, pageId = '', title = ''] = /^\/download\/attachments\/(\d+)\/([^/]+)$/.exec(path) ?? [];
    const file = find(pageId)?.page.attachments?.find((it) => it.title === decodeURIComponent(title));
    if (file)
      return response
        .writeHead(200, { 'content-type': file.type, etag: `"${file.id}-${file.version ?? 1}"` })
        .end(file.content);
    return problem(response, 404);
  }

  function search(url: URL, path: string, response: ServerResponse): unknown {
    const expand = url.searchParams.get('expand') ?? '';
    const above = ancestry();
    if (path.endsWith('/search')) {
      if (faults.noSearch) return problem(response, 501);
      const [, root = ''] = /ancestor='(\d+)'/.exec(url.searchParams.get('cql') ?? '') ?? [];
      const below = placed().filter(
        ({ page }) => !faults.emptySearch && above(page).some(({ id }) => id === root),
      );
      return sendJson(
        response,
        list(
          url,
          below.map((it) => pageJson(it, expand, above)),
        ),
      );
    }
    const title = url.searchParams.get('title');
    const key = url.searchParams.get('spaceKey');
    if (!Object.hasOwn(spaces, key ?? '')) return problem(response, 404);
    const found = placed().filter((it) => it.key === key && (title === null || it.page.title === title));
    return sendJson(
      response,
      list(
        url,
        found.map((it) => pageJson(it, expand, above)),
      ),
    );
  }

  function exportPdf(url: URL, response: ServerResponse): unknown {
    const found = find(url.searchParams.get('pageId') ?? '');
    if (!found) return problem(response, 404);
    if (faults.brokenExports?.includes(found.page.id))
      return response.writeHead(500).end('<html>java.lang.Error</html>');
    if (faults.loginInsteadOfPdf) {
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!DOCTYPE html><html><title>Log In - Confluence</title><input type="password"></html>');
    }
    if (faults.cutExports) {
      response.writeHead(200, { 'content-type': 'application/pdf' });
      return response.write(`%PDF-1.4\n${'%'.repeat(8_192)}`, () => response.destroy());
    }
    const text = (found.page.html ?? '').replace(/<[^>]*>/g, ' ').split('. ');
    return response
      .writeHead(200, { 'content-type': 'application/pdf' })
      .end(tinyPdf([found.page.title, ...text]));
  }

  const server = await startWebServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  }, at);
  return { ...server, faults, spaces, base: server.url + context };
}
