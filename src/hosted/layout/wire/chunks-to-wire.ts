import { deflateSync } from 'node:zlib';
import type { LayoutElement } from '../../../contracts/hosted/layout-elements.ts';
import type { Chunk } from '../../../documents/chunking/chunk-elements.ts';
import type { DocumentElement } from '../../../documents/element.ts';
import { contentOf, toWire, type WireFile, type WireOptions, withoutEmpty } from './to-wire.ts';
import { wirePlaces } from './wire-places.ts';

/** Characters of a file's answer that may be copies: every part of a long element has that element whole. */
const mostRepeated = 16 * 2 ** 20;

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
  const originalsOf = originals(file, options);
  return chunks.map((chunk, at) => ({
    type: chunk.kind,
    element_id: places[at]?.id ?? '',
    text: chunk.text,
    metadata: withoutEmpty({
      filename: file.name,
      filetype: file.type,
      ...contentOf(chunk),
      page_number: places[at]?.page,
      orig_elements: options.include_orig_elements ? originalsOf(chunk) : undefined,
      is_continuation: chunk.isContinuation || undefined,
    }),
  }));
}

/**
 * The elements of a chunk as base64 of zlib-compressed JSON. Parts of one element share their list of elements, so it is
 * compressed once. Where the copies would take too much room, only the first part has it.
 */
function originals(file: WireFile, options: WireOptions): (chunk: Chunk) => string | undefined {
  let room = mostRepeated;
  let last: { elements: readonly DocumentElement[]; packed: string } | undefined;
  return ({ elements }) => {
    if (last?.elements !== elements) {
      const packed = deflateSync(JSON.stringify(toWire(elements, file, options))).toString('base64');
      last = { elements, packed };
      return packed;
    }
    if (last.packed.length > room) return undefined;
    room -= last.packed.length;
    return last.packed;
  };
}
