import { type Chunk, chunkElements } from '../../documents/chunking/chunk-elements.ts';
import type { ChunkingOptions } from '../../documents/chunking/chunking-options.ts';
import { chunksToWire } from '../../hosted/layout/wire/chunks-to-wire.ts';
import { toWire } from '../../hosted/layout/wire/to-wire.ts';
import type { ReadFile } from './read-file.ts';
import { chunksToHtml, htmlPage, toHtml } from './to-html.ts';
import { chunksToMarkdown, toMarkdown } from './to-markdown.ts';

export const formats = ['markdown', 'html', 'json'] as const;
export type Format = (typeof formats)[number];

export interface FormatOptions {
  format: Format;
  chunking?: ChunkingOptions;
  coordinates: boolean;
}

export const extensions: Record<Format, string> = { markdown: 'md', html: 'html', json: 'json' };

/** One document of the output. `joinFiles` makes an output of several. */
export function formatFile(
  { name, elements, summary }: ReadFile,
  { format, chunking, coordinates }: FormatOptions,
): string {
  const chunks: Chunk[] | undefined = chunking && [...chunkElements(elements, chunking)];
  if (format === 'markdown') return chunks ? chunksToMarkdown(chunks) : toMarkdown(elements);
  if (format === 'html') return chunks ? chunksToHtml(name, chunks) : toHtml(name, elements);
  const file = { name, type: summary.type };
  const options = { coordinates, unique_element_ids: false, include_page_breaks: false };
  const wire = chunks
    ? chunksToWire(chunks, file, { ...options, include_orig_elements: true })
    : toWire(elements, file, options);
  return JSON.stringify(wire, null, 2);
}

/** The output of several files, or of one. A file that could not be read is undefined; JSON has `null` for it. */
export function joinFiles(
  texts: readonly (string | undefined)[],
  names: readonly string[],
  format: Format,
): string {
  const [only, ...others] = texts;
  if (format === 'json') {
    return others.length === 0 ? (only ?? '') : `[\n${texts.map((text) => text ?? 'null').join(',\n')}\n]`;
  }
  const read = texts.flatMap((text, at) => (text === undefined ? [] : [{ text, name: names[at] ?? '' }]));
  if (format === 'html') {
    return htmlPage(
      read.map(({ name }) => name).join(', '),
      read.map(({ text }) => text),
    );
  }
  if (texts.length === 1) return only ?? '';
  return read.map(({ name, text }) => `<!-- ${name.replaceAll('--', '- -')} -->\n\n${text}`).join('\n\n');
}
