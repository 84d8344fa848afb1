import { deflateSync } from 'node:zlib';
import type { LayoutElement } from '../../../contracts/hosted/layout-elements.ts';
import type { Chunk } from '../../../documents/chunking/chunk-elements.ts';
import { contentOf, toWire, type WireFile, type WireOptions, withoutEmpty } from './to-wire.ts';
import { wirePlaces } from './wire-places.ts';

/** Chunks in the Unstructured API's format. Each has the elements that it was made of, where they are asked for. */
export function chunksToWire(
  chunks: readonly Chunk[],
  file: WireFile,
  options: WireOptions & { include_orig_elements: boolean },
): LayoutElement[] {
  const places = wirePlaces(
    chunks.map(({ text, pages: [page] }) => ({ text, page })),
    file.name,
    options,
  );
  return chunks.map((chunk, at) => ({
    type: chunk.kind,
    element_id: places[at]?.id ?? '',
    text: chunk.text,
    metadata: withoutEmpty({
      filename: file.name,
      filetype: file.type,
      ...contentOf(chunk),
      page_number: places[at]?.page,
      orig_elements: options.include_orig_elements ? originals(chunk, file, options) : undefined,
      is_continuation: chunk.isContinuation || undefined,
    }),
  }));
}

/** Base64 of zlib-compressed JSON. */
function originals({ elements }: Chunk, file: WireFile, options: WireOptions): string {
  return deflateSync(JSON.stringify(toWire(elements, file, options))).toString('base64');
}
