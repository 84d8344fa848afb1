import type { TableCell, TableCells } from '../../../src/documents/element.ts';
import type { Block, TableLook } from './block.ts';
import { Random } from './random.ts';
import type { Texts } from './texts/texts.ts';

type Pool =
  | 'titles'
  | 'headings'
  | 'subheadings'
  | 'sentences'
  | 'items'
  | 'subitems'
  | 'clauses'
  | 'footnotes'
  | 'captions';

/** Writes the blocks of one document. No text is used twice before all others have been. */
export class Writer {
  readonly random: Random;
  readonly texts: Texts;
  readonly #left = new Map<Pool, string[]>();
  #chapters: number[] = [];
  #tables = 0;
  #figures = 0;
  #footnotes = 0;

  constructor(seed: string, texts: Texts) {
    this.random = new Random(seed);
    this.texts = texts;
  }

  title(): Block {
    return { type: 'heading', depth: 0, text: this.#take('titles') };
  }

  heading(depth: 1 | 2, numbered = false): Block {
    const text = this.#take(depth === 1 ? 'headings' : 'subheadings');
    if (!numbered) return { type: 'heading', depth, text };
    this.#chapters = Array.from({ length: depth }, (_, at) => this.#chapters[at] ?? 0);
    this.#chapters[depth - 1] = (this.#chapters[depth - 1] as number) + 1;
    return { type: 'heading', depth, text: `${this.#chapters.join('.')}${depth === 1 ? '.' : ''} ${text}` };
  }

  paragraph(sentences = this.random.between(3, 5)): Block {
    return {
      type: 'paragraph',
      text: Array.from({ length: sentences }, () => this.#take('sentences')).join(' '),
    };
  }

  paragraphs(count: number): Block[] {
    return Array.from({ length: count }, () => this.paragraph());
  }

  annotated(): Block {
    this.#footnotes += 1;
    const footnote = { mark: this.#footnotes, text: this.#take('footnotes') };
    return { ...(this.paragraph() as Block & { type: 'paragraph' }), footnote };
  }

  /** A list of two or three levels. */
  list(kind: 'bulleted' | 'numbered', { count = 4, levels = 2 } = {}): Block[] {
    const blocks: Block[] = [];
    const letters = this.texts.language === 'rus' ? 'абвгд' : 'abcde';
    for (let at = 1; at <= count; at += 1) {
      blocks.push({
        type: 'item',
        depth: 0,
        marker: kind === 'bulleted' ? '•' : `${at}.`,
        text: this.#take('items'),
      });
      if (levels < 2 || at % 2 === 1) continue;
      for (let inner = 0; inner < 2; inner += 1) {
        const marker = kind === 'bulleted' ? '◦' : `${letters[inner]})`;
        blocks.push({ type: 'item', depth: 1, marker, text: this.#take('subitems') });
        if (levels > 2 && inner === 0)
          blocks.push({
            type: 'item',
            depth: 2,
            marker: kind === 'bulleted' ? '▪' : '–',
            text: this.#take('subitems'),
          });
      }
    }
    return blocks;
  }

  clauses(count: number): Block[] {
    return Array.from({ length: count }, (_, at) => ({
      type: 'item',
      depth: 0,
      marker: `${at + 1}.`,
      text: this.#take('clauses'),
    }));
  }

  /** Numbers by district and season. */
  seasons(look: TableLook, rows = 6): Block[] {
    const { columns } = this.texts;
    const places = this.random.shuffle(this.texts.places).slice(0, rows);
    const body = places.map((place) => [place, ...columns.quarters.map(() => this.#number())]);
    return this.#table(look, gridTable([[columns.place, ...columns.quarters], ...body]));
  }

  /** A header of two rows, cells over several rows, and a total over several columns. */
  merged(): Block[] {
    const { columns, places } = this.texts;
    const quarters = columns.quarters;
    const cells: TableCell[] = [
      cell(0, 0, columns.place, 2, 1),
      cell(0, 1, columns.goods, 2, 1),
      cell(0, 2, columns.half[0] as string, 1, 2),
      cell(0, 4, columns.half[1] as string, 1, 2),
      ...quarters.map((quarter, at) => cell(1, 2 + at, quarter)),
    ];
    const [chosen, goods] = [this.random.shuffle(places), this.random.shuffle(this.texts.goods)];
    for (let group = 0; group < 3; group += 1) {
      cells.push(cell(2 + 2 * group, 0, chosen[group] as string, 2, 1));
      for (let row = 2 + 2 * group; row < 4 + 2 * group; row += 1) {
        cells.push(cell(row, 1, goods[row] as string));
        for (let column = 2; column < 6; column += 1) cells.push(cell(row, column, this.#number()));
      }
    }
    cells.push(cell(8, 0, columns.total, 1, 2));
    for (let column = 2; column < 6; column += 1) cells.push(cell(8, column, this.#number()));
    return this.#table('ruled', { rows: 9, columns: 6, headerRows: 2, cells });
  }

  staff(look: TableLook): Block[] {
    const { columns } = this.texts;
    const roles = this.random.shuffle(this.texts.roles);
    const body = this.random
      .shuffle(this.texts.people)
      .slice(0, 6)
      .map((name, at) => [name, roles[at] as string, String(this.random.between(1998, 2024))]);
    return this.#table(look, gridTable([[columns.person, columns.role, columns.since], ...body]));
  }

  /** Cells with several words, some of them empty. */
  stock(look: TableLook, rows: number): Block[] {
    const { columns, goods, notes } = this.texts;
    const body = Array.from({ length: rows }, (_, at) => [
      `${goods[at % goods.length]} ${this.random.between(2, 99)}`,
      String(this.random.between(3, 480)),
      `${this.random.between(1, 90)}.${this.random.between(10, 99)}`,
      at % 4 === 3 ? '' : this.random.pick(notes),
    ]);
    return this.#table(
      look,
      gridTable([[columns.goods, columns.count, columns.price, columns.note], ...body]),
    );
  }

  figure(): Block[] {
    this.#figures += 1;
    return [
      { type: 'picture' },
      { type: 'caption', text: `${this.texts.figure} ${this.#figures}. ${this.#take('captions')}` },
    ];
  }

  code(): Block {
    return { type: 'code', text: this.random.pick(this.texts.code) };
  }

  #table(look: TableLook, table: TableCells): Block[] {
    this.#tables += 1;
    const text = `${this.texts.table} ${this.#tables}. ${this.#take('captions')}`;
    return [
      { type: 'caption', text },
      { type: 'table', look, table },
    ];
  }

  #number(): string {
    return String(this.random.between(12, 9870));
  }

  #take(pool: Pool): string {
    const left = this.#left.get(pool) ?? [];
    if (left.length === 0) left.push(...this.random.shuffle(this.texts[pool]));
    const text = left.pop() as string;
    this.#left.set(pool, left);
    return text
      .replaceAll('{n}', () => String(this.random.between(1200, 9900)))
      .replaceAll('{s}', () => String(this.random.between(11, 89)))
      .replaceAll('{y}', () => String(this.random.between(1951, 2025)))
      .replaceAll('{m}', () => this.random.pick(['January', 'March', 'April', 'June', 'August', 'October']));
  }
}

const cell = (row: number, column: number, text: string, rowSpan = 1, columnSpan = 1): TableCell => ({
  row,
  column,
  rowSpan,
  columnSpan,
  text,
});

function gridTable(rows: string[][]): TableCells {
  const cells = rows.flatMap((texts, row) => texts.map((text, column) => cell(row, column, text)));
  return { rows: rows.length, columns: rows[0]?.length ?? 0, headerRows: 1, cells };
}
