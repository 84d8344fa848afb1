import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chunkElements } from '../../../documents/chunking/chunk-elements.ts';
import type { DocumentElement } from '../../../documents/element.ts';
import { chunksToWire } from './chunks-to-wire.ts';

const file = { name: 'stock.html', type: 'text/html' };
const options = {
  coordinates: false,
  unique_element_ids: false,
  include_page_breaks: false,
  include_orig_elements: true,
};

function table(rows: number): DocumentElement {
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: 10 }, (_, at) => `c${row}-${at}`),
  );
  const html = lines.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  const text = lines.map((cells) => cells.join(' ')).join('\n');
  return { kind: 'Table', text, html: `<table>${html}</table>`, index: 0, regions: [] };
}

const chunksOf = (element: DocumentElement) =>
  chunksToWire([...chunkElements([element], { strategy: 'basic', maxCharacters: 500 })], file, options);

describe('orig_elements of a table that is split', () => {
  it('each part has the whole table', () => {
    const parts = chunksOf(table(100));
    expect(parts.length).toBeGreaterThan(5);
    for (const { metadata } of parts) {
      const [original] = JSON.parse(
        inflateSync(Buffer.from(metadata.orig_elements ?? '', 'base64')).toString(),
      );
      expect(original.text).toContain('c99-9');
    }
  });

  it('is left out where copies of a huge one would fill the answer', () => {
    const parts = chunksOf(table(20_000));
    expect(parts.length).toBeGreaterThan(1_000);
    expect(parts[0]?.metadata.orig_elements).toBeDefined();
    expect(parts.at(-1)?.metadata.orig_elements).toBeUndefined();
    expect(JSON.stringify(parts).length).toBeLessThan(32 * 2 ** 20);
  });
});
