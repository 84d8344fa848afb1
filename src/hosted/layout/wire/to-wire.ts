import type { ElementMetadata, LayoutElement } from '../../../contracts/hosted/layout-elements.ts';
import type { DocumentElement, Region } from '../../../documents/element.ts';
import { wirePlaces } from './wire-places.ts';

export interface WireFile {
  /** The bare name, without folders. */
  name: string;
  /** The MIME type that was detected. */
  type: string;
}

export interface WireOptions {
  coordinates: boolean;
  unique_element_ids: boolean;
  /** Number of the file's first page. Clients that split a PDF send it with each part. */
  starting_page_number?: number | undefined;
  include_page_breaks: boolean;
}

const pixelsPerPoint = 200 / 72;

/** The elements of one file in the Unstructured API's format. */
export function toWire(
  elements: readonly DocumentElement[],
  file: WireFile,
  options: WireOptions,
): LayoutElement[] {
  const kept = options.include_page_breaks ? elements : elements.filter(({ kind }) => kind !== 'PageBreak');
  const places = wirePlaces(kept, file.name, options);
  const idOf = new Map(kept.map((element, at) => [element.index, places[at]?.id]));
  return kept.map((element, at) => ({
    type: element.kind,
    element_id: places[at]?.id ?? '',
    text: element.text,
    metadata: withoutEmpty({
      filename: file.name,
      filetype: file.type,
      ...contentOf(element),
      page_number: places[at]?.page,
      parent_id: element.parent === undefined ? undefined : idOf.get(element.parent),
      ...(options.coordinates ? { coordinates: coordinatesOf(element.regions) } : {}),
    }),
  }));
}

type WireContent = Pick<
  DocumentElement,
  'languages' | 'pageName' | 'html' | 'links' | 'emphasis' | 'mail' | 'picture'
> & {
  depth?: number;
};

/** The metadata that do not depend on the request. */
export function contentOf(element: WireContent): ElementMetadata {
  const { links = [], emphasis = [], mail } = element;
  return withoutEmpty({
    languages: element.languages,
    page_name: element.pageName,
    category_depth: element.depth,
    text_as_html: element.html,
    image_base64: element.picture,
    image_mime_type: element.picture === undefined ? undefined : 'image/jpeg',
    emphasized_text_contents: emphasis.map(({ text }) => text),
    emphasized_text_tags: emphasis.map(({ tag }) => tag),
    link_texts: links.map(({ text }) => text),
    link_urls: links.map(({ url }) => url),
    link_start_indexes: links.map(({ start }) => start),
    sent_from: mail?.from,
    sent_to: mail?.to,
    cc_recipient: mail?.cc,
    subject: mail?.subject,
    last_modified: mail?.sentAt,
    attachments: mail?.attachments,
  });
}

/** The part of an element that stands on its first page, in pixels at 200 dots per inch. */
function coordinatesOf([first, ...rest]: readonly Region[]): ElementMetadata['coordinates'] {
  if (!first) return undefined;
  const boxes = [first, ...rest.filter(({ page }) => page === first.page)].map(({ box }) => box);
  const left = Math.min(...boxes.map((box) => box.left)) * pixelsPerPoint;
  const top = Math.min(...boxes.map((box) => box.top)) * pixelsPerPoint;
  const right = Math.max(...boxes.map((box) => box.right)) * pixelsPerPoint;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) * pixelsPerPoint;
  return {
    points: [
      [left, top],
      [left, bottom],
      [right, bottom],
      [right, top],
    ],
    system: 'PixelSpace',
    layout_width: Math.round(first.pageWidth * pixelsPerPoint),
    layout_height: Math.round(first.pageHeight * pixelsPerPoint),
  };
}

/** Clients expect absent fields, not null or empty ones. */
export function withoutEmpty(fields: { [name in keyof ElementMetadata]: ElementMetadata[name] | undefined }) {
  const kept = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept) as ElementMetadata;
}
