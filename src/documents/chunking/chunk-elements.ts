import type { DocumentElement, Emphasis, Link, MailHeaders, Region } from '../element.ts';
import { type ChunkingLimits, type ChunkingOptions, chunkingLimits } from './chunking-options.ts';
import { headingPaths } from './heading-paths.ts';
import { combined, isTable, type Section, sections } from './sections.ts';
import { splitTable } from './split-table.ts';
import { splitText } from './split-text.ts';

export interface Chunk {
  kind: 'CompositeElement' | 'Table' | 'TableChunk';
  text: string;
  /** Tables: the part of the table that this chunk is. */
  html?: string;
  /** The elements that it was made of (`orig_elements`). Parts of a long element all have it. */
  elements: DocumentElement[];
  /** The titles above its first element, the topmost first; a title that begins the chunk is the last. */
  headings: string[];
  /** In ascending order. */
  pages: number[];
  pageName?: string;
  regions: Region[];
  links: Link[];
  emphasis: Emphasis[];
  languages: string[];
  mail?: MailHeaders;
  /** Whether it continues the element of the chunk before. */
  isContinuation: boolean;
  /** TableChunk: header rows that are repeated at its top, and its place within the table. */
  repeatedRows?: number;
  chunkIndex?: number;
}

/** Chunks of a document by Unstructured's rules. */
export function* chunkElements(
  elements: Iterable<DocumentElement>,
  options: ChunkingOptions,
): Generator<Chunk> {
  const limits = chunkingLimits(options);
  const paths = headingPaths();
  const parts = sections(paths.watch(elements), limits);
  for (const section of limits.byTitle ? combined(parts, limits) : parts) {
    const base = baseOf(section, paths.of(section.elements[0]));
    const table = section.elements.length === 1 ? section.elements.find(isTable) : undefined;
    yield* table ? tableChunks(table, base, limits) : textChunks(section, base, limits);
    paths.forget(section.elements.at(-1));
  }
}

type ChunkBase = Omit<Chunk, 'kind' | 'text' | 'isContinuation'>;

function baseOf({ elements }: Section, headings: string[]): ChunkBase {
  const unique = <Value>(values: Value[]) => [...new Set(values)];
  const pages = elements.flatMap(({ page, regions }) => [
    ...(page === undefined ? [] : [page]),
    ...regions.map((it) => it.page),
  ]);
  const mail = elements.find((element) => element.mail)?.mail;
  const pageName = elements.find((element) => element.pageName)?.pageName;
  return {
    elements,
    headings,
    pages: unique(pages).sort((a, b) => a - b),
    regions: elements.flatMap(({ regions }) => regions),
    links: elements.flatMap(({ links }) => links ?? []),
    emphasis: elements.flatMap(({ emphasis }) => emphasis ?? []),
    languages: unique(elements.flatMap(({ languages }) => languages ?? [])),
    ...(pageName !== undefined && { pageName }),
    ...(mail && { mail }),
  };
}

function* textChunks({ text }: Section, base: ChunkBase, limits: ChunkingLimits): Generator<Chunk> {
  let isContinuation = false;
  for (const part of splitText(text, limits)) {
    yield { kind: 'CompositeElement', text: part, ...base, isContinuation };
    isContinuation = true;
  }
}

/** Below this, the tags of a part of a table would take most of the room. */
const smallestHtml = 50;

function* tableChunks(element: DocumentElement, base: ChunkBase, limits: ChunkingLimits): Generator<Chunk> {
  const text = element.text.trim();
  if (text === '') return;
  const { html, table } = element;
  if (text.length <= limits.most && measured(html) <= limits.most) {
    yield { kind: 'Table', text, ...(html !== undefined && { html }), ...base, isContinuation: false };
    return;
  }
  let chunkIndex = 0;
  const parts =
    table && limits.most >= smallestHtml
      ? splitTable(table, limits.most, limits.repeatHeaders)
      : textParts(text, limits);
  for (const part of parts) {
    yield { kind: 'TableChunk', ...part, ...base, isContinuation: chunkIndex > 0, chunkIndex: chunkIndex++ };
  }
}

/** Unstructured writes an empty cell as `<td/>`, and counts it so. */
const measured = (html = '') => html.replace(/><\/t[dh]>/g, '/>').length;

function* textParts(text: string, limits: ChunkingLimits): Generator<{ text: string }> {
  for (const part of splitText(text, limits)) yield { text: part };
}
