import { type Chunk, chunkElements } from '../../../documents/chunking/chunk-elements.ts';
import type { DocumentElement, ElementKind } from '../../../documents/element.ts';
import type { ChunkDraft, ChunkSizes } from './chunk-draft.ts';
import { locateSections } from './locate-sections.ts';
import { tableDrafts } from './table-drafts.ts';

/** What is repeated on every page says nothing about the text beside it. */
const running: ReadonlySet<ElementKind> = new Set(['Header', 'Footer', 'PageNumber', 'PageBreak']);

/** The passages of a document, in order. */
export function* draftChunks(
  elements: Iterable<DocumentElement>,
  sizes: ChunkSizes,
): Generator<ChunkDraft, void> {
  let held: ChunkDraft | undefined;
  for (const draft of allDrafts(elements, sizes)) {
    if (held && !isRepeatedBy(held, draft)) yield held;
    held = draft;
  }
  if (held) yield held;
}

/** Titles that stand above the next passage anyway would only compete with it. */
const isRepeatedBy = (draft: ChunkDraft, next: ChunkDraft) =>
  draft.onlyHeadings && draft.text.split('\n\n').every((title) => next.headings.includes(title));

function* allDrafts(elements: Iterable<DocumentElement>, sizes: ChunkSizes): Generator<ChunkDraft> {
  const chunks = chunkElements(indexed(elements), {
    strategy: 'by_title',
    maxCharacters: sizes.text,
    newAfterCharacters: Math.round(sizes.text * 0.8),
    combineUnderCharacters: Math.round(sizes.text / 6),
    splitAt: 'sentences',
  });
  const locate = locateSections();
  for (const chunk of chunks) {
    const [first] = chunk.elements;
    const table = chunk.kind === 'CompositeElement' ? undefined : first;
    if (!table?.table) yield textDraft(chunk, locate);
    // The chunker splits tables at the size of passages; here they are split by other rules, once.
    else if (!chunk.isContinuation) yield* tableDrafts(table, table.table, baseOf(chunk), sizes);
  }
}

function* indexed(elements: Iterable<DocumentElement>): Generator<DocumentElement> {
  for (const element of elements) {
    if (!running.has(element.kind) && element.text.trim() !== '') yield storable(element);
  }
}

/** PostgreSQL stores neither NUL nor halves of characters. What replaces them is as long, so offsets stay. */
function storable(element: DocumentElement): DocumentElement {
  const { text, table } = element;
  const cells = table?.cells.some((cell) => !isStorable(cell.text));
  if (isStorable(text) && !cells) return element;
  return {
    ...element,
    text: toStorable(text),
    ...(table && {
      table: { ...table, cells: table.cells.map((cell) => ({ ...cell, text: toStorable(cell.text) })) },
    }),
  };
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();
const toStorable = (text: string) => text.replaceAll('\0', ' ').toWellFormed();

function baseOf({ headings, pageName, mail }: Chunk) {
  return { headings: headings.map(tidy), pageName, mail };
}

const tidy = (heading: string) => heading.replace(/\s+/gu, ' ').trim();

/** The headings above the first text of a chunk, where several titles begin it. */
function headingsOf({ headings, elements, isContinuation }: Chunk): { headings: string[]; own: number } {
  const all = headings.map(tidy);
  const [first, ...rest] = elements;
  if (isContinuation || first?.kind !== 'Title') return { headings: all, own: 0 };
  const own = [first];
  for (const element of rest) {
    if (element.kind !== 'Title') break;
    while ((own.at(-1)?.depth ?? -1) >= (element.depth ?? 0)) own.pop();
    own.push(element);
  }
  return { headings: [...all.slice(0, -1), ...own.map(({ text }) => tidy(text))], own: own.length };
}

function textDraft(chunk: Chunk, locate: ReturnType<typeof locateSections>): ChunkDraft {
  const segments = locate(chunk.elements, chunk.text);
  const { headings, own } = headingsOf(chunk);
  return {
    kind: chunk.kind === 'CompositeElement' ? 'text' : 'table',
    text: chunk.text,
    ...baseOf(chunk),
    headings,
    ownHeadings: own,
    onlyHeadings: !chunk.isContinuation && chunk.elements.every(({ kind }) => kind === 'Title'),
    markdown: null,
    page: segments[0]?.page ?? null,
    segments,
  };
}
