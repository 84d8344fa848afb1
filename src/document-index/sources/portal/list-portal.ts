import { listPart, listRoot, type Part } from '../api/list-part.ts';
import { unsupported } from '../files/unsupported.ts';
import type { SourceItem } from '../source.ts';
import type { PortalContent, PortalContents, PortalPlace } from './portal-content.ts';
import type { PortalLink } from './portal-link.ts';

type Above = Pick<Part, 'path' | 'containers'>;

interface Walk {
  contents: PortalContents;
  base: string;
  /** Places that were visited. */
  seen: Set<string>;
}

/** One document, or all documents, files and posts of a place and the places in it, each followed by its attachments. */
export async function* listPortal(contents: PortalContents, link: PortalLink): AsyncGenerator<SourceItem> {
  const { base } = link;
  if ('document' in link) {
    const content = await contents.document(link.document);
    const path = content.parentPlace?.name ? [content.parentPlace.name] : [];
    yield* itemsOf(base, content, { path, containers: [] });
    return;
  }
  const walk = { contents, base, seen: new Set<string>() };
  const place = await contents.place(link);
  const above = { path: [], containers: [] };
  yield* listRoot(partOf(base, 'place', place, above), () => listPlace(walk, place, above));
}

async function* listPlace(walk: Walk, place: PortalPlace, above: Above): AsyncGenerator<SourceItem> {
  const { contents, base, seen } = walk;
  if (seen.has(place.placeID)) return;
  seen.add(place.placeID);
  const path = [...above.path, place.name];
  const inside = (kind: PartKind) => ({
    path,
    containers: [...above.containers, partOf(base, kind, place, above).id],
  });
  for await (const content of contents.contentsOf(place)) yield* itemsOf(base, content, inside('place'));
  yield* listPart(partOf(base, 'blog', place, above), async function* () {
    const blog = await contents.blogOf(place);
    if (blog) yield* listPlace(walk, blog, inside('blog'));
  });
  yield* listPart(partOf(base, 'places', place, above), async function* () {
    for await (const inner of contents.placesIn(place)) yield* listInner(walk, inner, inside('places'));
  });
}

const listInner = (walk: Walk, place: PortalPlace, above: Above) =>
  listPart(partOf(walk.base, 'place', place, above), () => listPlace(walk, place, above));

/** What is listed of a place: its contents, its blog, and the places in it. */
const partNames = { place: '', blog: ': blog', places: ': places in it' };
type PartKind = keyof typeof partNames;

function partOf(base: string, kind: PartKind, { placeID, name, resources }: PortalPlace, above: Above): Part {
  const url = resources.html?.ref ?? base;
  return { id: `${kind}:${placeID}`, name: name + partNames[kind], url, ...above };
}

function* itemsOf(base: string, content: PortalContent, { path, containers }: Above): Generator<SourceItem> {
  const version = content.updated ?? null;
  const url = content.resources.html?.ref ?? base;
  const isFile = content.type === 'file';
  const name = isFile ? (content.name ?? content.subject) : `${content.subject}.pdf`;
  yield {
    id: `${content.type}:${content.contentID}`,
    version,
    name,
    url,
    size: isFile ? (content.size ?? null) : null,
    path,
    containers,
    ...(isFile && unsupported(name, content.contentType)),
  };
  for (const attachment of content.attachments) {
    yield {
      id: `attachment:${content.contentID}:${attachment.id}`,
      version,
      name: attachment.name,
      url,
      size: attachment.size ?? null,
      path: [...path, content.subject],
      containers,
      ...unsupported(attachment.name, attachment.contentType),
    };
  }
}
