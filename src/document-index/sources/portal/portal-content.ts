import { z } from 'zod';
import { BadRequest } from '../../../contracts/problems.ts';
import { Gone, Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { Unlistable } from '../api/list-part.ts';
import type { SystemApi } from '../api/system-api.ts';
import { documentCode, normalised, type PortalLink } from './portal-link.ts';

const Reference = z.object({ ref: z.string() }).optional();
const Place = z.object({
  placeID: z.coerce.string(),
  name: z.string().default(''),
  resources: z.object({ html: Reference, self: Reference, blog: Reference }).default({}),
});
const Content = z.object({
  contentID: z.coerce.string(),
  type: z.string(),
  subject: z.string().default(''),
  name: z.string().optional(),
  contentType: z.string().nullish(),
  size: z.number().nullish(),
  updated: z.string().nullish(),
  binaryURL: z.string().optional(),
  content: z.object({ text: z.string().optional() }).optional(),
  parentPlace: z.object({ name: z.string().optional() }).optional(),
  resources: z.object({ html: Reference }).default({}),
  attachments: z
    .array(
      z.object({
        id: z.coerce.string(),
        name: z.string(),
        contentType: z.string().nullish(),
        size: z.number().nullish(),
        url: z.string().optional(),
      }),
    )
    .default([]),
});
const Next = z.object({ next: z.string().optional() }).optional();
const Places = z.object({ list: z.array(Place), links: Next });
const Contents = z.object({ list: z.array(Content), links: Next });
export type PortalPlace = z.output<typeof Place>;
export type PortalContent = z.output<typeof Content>;

const mostRequests = 10_000;

/** Read access to the REST API v3 of Jive. */
export function createPortalContent(api: SystemApi, base: string, signal: AbortSignal) {
  const root = `${base}/api/core/v3`;
  const address = (path: string, query: [string, string][]) => `${root}${path}?${new URLSearchParams(query)}`;

  async function* pages<Entry>(
    read: (url: string) => Promise<{ list: Entry[]; links?: { next?: string | undefined } | undefined }>,
    first: string,
  ): AsyncGenerator<Entry> {
    const seen = new Set<string>();
    for (let url: string | undefined = first; url !== undefined; ) {
      if (seen.has(url) || seen.size >= mostRequests)
        throw new Unlistable(`the listing of ${new URL(base).host} does not end`);
      seen.add(url);
      const { list, links } = await read(url);
      yield* list;
      url = links?.next === undefined ? undefined : inside(base, links.next);
    }
  }
  const places = (url: string) => pages((at) => api.json(Places, at, signal), url);
  const contents = (url: string) => pages((at) => api.json(Contents, at, signal), url);

  return {
    content: (id: string) => api.json(Content, `${root}/contents/${encodeURIComponent(id)}`, signal),
    async document(number: string): Promise<PortalContent> {
      const filter = `entityDescriptor(${documentCode},${number})`;
      const { list } = await api.json(Contents, address('/contents', [['filter', filter]]), signal);
      if (!list[0]) throw new BadRequest(`the portal has no document DOC-${number} that this login may read`);
      return list[0];
    },
    async place(link: Extract<PortalLink, { place: string }>): Promise<PortalPlace> {
      const filter =
        link.code === undefined
          ? `search(${link.place.replace(/[(),\\]/g, ' ')})`
          : `entityDescriptor(${link.code},${link.place})`;
      for await (const place of places(
        address('/places', [
          ['filter', filter],
          ['count', '100'],
        ]),
      )) {
        const found = link.code !== undefined || normalised(place.resources.html?.ref ?? '') === link.address;
        if (found) return place;
      }
      throw new BadRequest(
        `the portal has no space, group, project or blog '${link.place}' that this login may read`,
      );
    },
    contentsOf: ({ placeID, resources }: PortalPlace) =>
      contents(
        address('/contents', [
          ['filter', `place(${resources.self?.ref ?? `${root}/places/${placeID}`})`],
          ['filter', 'type(document,file,post)'],
          ['count', '100'],
          ['startIndex', '0'],
        ]),
      ),
    placesIn: ({ placeID }: PortalPlace) => places(address(`/places/${placeID}/places`, [['count', '100']])),
    async blogOf({ resources }: PortalPlace): Promise<PortalPlace | undefined> {
      if (!resources.blog) return undefined;
      return api.json(Place, inside(base, resources.blog.ref), signal).catch((error: unknown) => {
        // Most places have a link to a blog, and many no blog behind it.
        if (error instanceof Gone) return undefined;
        throw error;
      });
    },
  };
}

export type PortalContents = ReturnType<typeof createPortalContent>;

/** An address that the portal gave, which must lead to itself: the login is sent there. */
export function inside(base: string, address: string): string {
  const url = URL.parse(address, `${base}/`);
  if (url?.origin !== new URL(base).origin) throw new Refused('the portal refers to another server');
  return url.href;
}
