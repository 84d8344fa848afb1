import { randomUUID } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { LayoutElement } from '../../../contracts/hosted/layout-elements.ts';
import type { Chunk } from '../../../documents/chunking/chunk-elements.ts';
import { elementIds } from './element-ids.ts';
import { contentOf, toWire, type WireFile, type WireOptions, withoutEmpty } from './to-wire.ts';

/** Chunks in the Unstructured API's format. Each has the elements that it was made of, where they are asked for. */
export function chunksToWire(
  chunks: readonly Chunk[],
  file: WireFile,
  options: WireOptions & { include_orig_elements: boolean },
): LayoutElement[] {
  const pageOf = ({ pages: [first] }: Chunk) =>
    first === undefined ? undefined : first + (options.starting_page_number ?? 1) - 1;
  const ids = options.unique_element_ids
    ? chunks.map(() => randomUUID() as string)
    : elementIds(
        file.name,
        chunks.map((chunk) => ({ text: chunk.text, page: pageOf(chunk) })),
      );
  return chunks.map((chunk, at) => ({
    type: chunk.kind,
    element_id: ids[at] as string,
    text: chunk.text,
    metadata: withoutEmpty({
      filename: file.name,
      filetype: file.type,
      ...contentOf(chunk),
      page_number: pageOf(chunk),
      orig_elements: options.include_orig_elements ? originals(chunk, file, options) : undefined,
      is_continuation: chunk.isContinuation || undefined,
    }),
  }));
}

/** Base64 of zlib-compressed JSON. */
function originals({ elements }: Chunk, file: WireFile, options: WireOptions): string {
  return deflateSync(JSON.stringify(toWire(elements, file, options))).toString('base64');
}
