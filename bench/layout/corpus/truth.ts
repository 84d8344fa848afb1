import type { TableCells } from '../../../src/documents/element.ts';
import type { Block, PlannedDocument, TrueElement } from './block.ts';

/** What the layout in the browser reports. */
export interface Pagination {
  pages: number;
  /** The page on which each block begins. */
  begins: Record<number, number>;
  footnotes: { page: number; block: number }[];
}

/**
 * The elements of a laid out document, in reading order: header, body, footnotes, footer and number of each page. What
 * continues on the next page belongs to the page on which it begins.
 */
export function truthOf({ sections, running }: PlannedDocument, pagination: Pagination): TrueElement[] {
  const blocks = sections.flatMap((section) => section.blocks);
  const elements: TrueElement[] = [];
  const parents = new Parents();
  const add = (element: Omit<TrueElement, 'index'>): number =>
    elements.push({ index: elements.length, ...element }) - 1;
  for (let page = 1; page <= pagination.pages; page += 1) {
    if (running.header) add({ kind: 'Header', text: running.header, page });
    for (const [id, block] of blocks.entries()) {
      if (pagination.begins[id] !== page) continue;
      const parent = parents.of(block);
      parents.place(block, add({ ...elementOf(block), page, ...(parent !== undefined && { parent }) }));
    }
    for (const note of pagination.footnotes.filter((one) => one.page === page)) {
      const { footnote } = blocks[note.block] as Block & { type: 'paragraph' };
      add({ kind: 'NarrativeText', text: `${footnote?.mark} ${footnote?.text}`, page });
    }
    if (running.footer) add({ kind: 'Footer', text: running.footer, page });
    if (running.numbers) add({ kind: 'PageNumber', text: String(page), page });
  }
  return elements;
}

function elementOf(block: Block): Omit<TrueElement, 'index'> {
  switch (block.type) {
    case 'heading':
      return { kind: 'Title', text: block.text, depth: block.depth };
    case 'paragraph':
      return { kind: 'NarrativeText', text: `${block.text}${block.footnote?.mark ?? ''}` };
    case 'item': {
      const marked = /\d|\p{L}/u.test(block.marker);
      return {
        kind: 'ListItem',
        text: marked ? `${block.marker} ${block.text}` : block.text,
        depth: block.depth,
      };
    }
    case 'caption':
      return { kind: 'FigureCaption', text: block.text };
    case 'code':
      return { kind: 'CodeSnippet', text: block.text };
    case 'picture':
      return { kind: 'Image', text: '' };
    case 'table':
      return { kind: 'Table', text: tableText(block.table), table: block.table, look: block.look };
  }
}

const tableText = ({ rows, cells }: TableCells) =>
  Array.from({ length: rows }, (_, row) =>
    cells
      .filter((cell) => cell.row === row && cell.text !== '')
      .map((cell) => cell.text)
      .join(' '),
  ).join('\n');

/** Titles belong to the title above them that is less deep, list items to their outer item, all else to the last title. */
class Parents {
  #titles: { depth: number; index: number }[] = [];
  #items: { depth: number; index: number }[] = [];

  of(block: Block): number | undefined {
    if (block.type === 'heading') return this.#titles.findLast((title) => title.depth < block.depth)?.index;
    const outer =
      block.type === 'item' ? this.#items.findLast((item) => item.depth < block.depth) : undefined;
    return (outer ?? this.#titles.at(-1))?.index;
  }

  place(block: Block, index: number): void {
    if (block.type !== 'item') this.#items = [];
    if (block.type === 'heading')
      this.#titles = [
        ...this.#titles.filter((title) => title.depth < block.depth),
        { depth: block.depth, index },
      ];
    if (block.type === 'item')
      this.#items = [
        ...this.#items.filter((item) => item.depth < block.depth),
        { depth: block.depth, index },
      ];
  }
}
