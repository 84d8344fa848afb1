import { z } from 'zod';
import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { Unlistable } from '../api/list-part.ts';
import type { SystemApi } from '../api/system-api.ts';

const Links = z.object({ next: z.string(), webui: z.string(), download: z.string() }).partial();
const Content = z.object({
  id: z.coerce.string(),
  title: z.string(),
  version: z.object({ number: z.number() }).optional(),
  space: z.object({ key: z.string(), name: z.string().optional() }).optional(),
  ancestors: z.array(z.object({ id: z.coerce.string().optional(), title: z.string().optional() })).optional(),
  metadata: z.object({ mediaType: z.string().optional() }).optional(),
  extensions: z.object({ mediaType: z.string().optional(), fileSize: z.number().optional() }).optional(),
  body: z.object({ export_view: z.object({ value: z.string() }) }).optional(),
  _links: Links.optional(),
});
const ContentList = z.object({ results: z.array(Content), _links: Links.optional() });
const Page = Content.extend({
  children: z.object({ attachment: ContentList.optional() }).optional(),
});
const PageList = z.object({ results: z.array(Page), _links: Links.optional() });
export type WikiContent = z.output<typeof Content>;
export type WikiPage = z.output<typeof Page>;

const expand = 'ancestors,version,space,children.attachment.version';
const attachmentFields = 'version';
/** Servers send fewer where they cap it. */
const perRequest = 100;
const mostRequests = 10_000;

/** Read access to the REST API of Confluence Server and Data Center. */
export function createWikiContent(api: SystemApi, base: string, signal: AbortSignal) {
  const address = (path: string, query: Record<string, string>) =>
    `${base}/rest/api/content${path}?${new URLSearchParams(query)}`;

  /** Follows `_links.next`: a page that is shorter than asked for is not the last one. */
  async function* pages(first: string): AsyncGenerator<WikiPage> {
    const seen = new Set<string>();
    for (let url: string | undefined = first; url !== undefined; ) {
      if (seen.has(url) || seen.size >= mostRequests)
        throw new Unlistable(`the listing of ${new URL(base).host} does not end`);
      seen.add(url);
      const list: z.output<typeof PageList> = await api.json(PageList, url, signal);
      yield* list.results;
      url = nextAddress(base, list._links?.next);
    }
  }

  return {
    page: (id: string) => api.json(Page, address(`/${id}`, { expand }), signal),
    async pageByTitle(space: string, title: string): Promise<WikiPage | undefined> {
      const url = address('', { spaceKey: space, title, type: 'page', expand });
      return (await api.json(PageList, url, signal)).results[0];
    },
    withBody: (id: string) =>
      api.json(Page, address(`/${id}`, { expand: 'body.export_view,ancestors,space' }), signal),
    ofSpace: (space: string) =>
      pages(address('', { spaceKey: space, type: 'page', limit: String(perRequest), expand })),
    below: (id: string) =>
      pages(address('/search', { cql: `type=page and ancestor='${id}'`, limit: String(perRequest), expand })),
    children: (id: string) => pages(address(`/${id}/child/page`, { limit: String(perRequest), expand })),
    /** Most pages carry their attachments; some servers leave them out, and long lists continue elsewhere. */
    async *attachments(page: WikiPage): AsyncGenerator<WikiContent> {
      const listed = page.children?.attachment;
      const query = { limit: String(perRequest), expand: attachmentFields };
      if (!listed) yield* pages(address(`/${page.id}/child/attachment`, query));
      else {
        yield* listed.results;
        const next = nextAddress(base, listed._links?.next);
        if (next) yield* pages(next);
      }
    },
  };
}

export type WikiContents = ReturnType<typeof createWikiContent>;

/** The link may contain the context path or not, and must stay inside the wiki. */
function nextAddress(base: string, next: string | undefined): string | undefined {
  if (!next) return undefined;
  const { origin, pathname } = new URL(base);
  const url = next.startsWith('/')
    ? new URL(pathname !== '/' && next.startsWith(`${pathname}/`) ? origin + next : base + next)
    : URL.parse(next, `${base}/`);
  if (!url || url.origin !== origin) throw new Refused('the wiki continues its listing at another server');
  return url.href;
}
