import { unsupported } from '../files/unsupported.ts';
import type { SourceItem } from '../source.ts';
import type { PortalContent, PortalContents, PortalPlace } from './portal-content.ts';
import type { PortalLink } from './portal-link.ts';

/** One document, or all documents, files and posts of a place and the places in it, each followed by its attachments. */
export async function* listPortal(contents: PortalContents, link: PortalLink): AsyncGenerator<SourceItem> {
  if ('document' in link) {
    const content = await contents.document(link.document);
    yield* itemsOf(link.base, content, content.parentPlace?.name ? [content.parentPlace.name] : []);
    return;
  }
  yield* listPlace(contents, link.base, await contents.place(link), [], new Set());
}

async function* listPlace(
  contents: PortalContents,
  base: string,
  place: PortalPlace,
  above: string[],
  seen: Set<string>,
): AsyncGenerator<SourceItem> {
  if (seen.has(place.placeID)) return;
  seen.add(place.placeID);
  const path = [...above, place.name];
  for await (const content of contents.contentsOf(place)) yield* itemsOf(base, content, path);
  const blog = await contents.blogOf(place);
  if (blog) yield* listPlace(contents, base, blog, path, seen);
  for await (const inner of contents.placesIn(place)) yield* listPlace(contents, base, inner, path, seen);
}

function* itemsOf(base: string, content: PortalContent, path: string[]): Generator<SourceItem> {
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
      ...unsupported(attachment.name, attachment.contentType),
    };
  }
}
