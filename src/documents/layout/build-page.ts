import type { Box } from '../element.ts';
import { area, contains, height, middleX, middleY, overlap, union, width } from './geometry.ts';
import { columnGap, findColumns } from './order/find-columns.ts';
import { linesOf, type Placed } from './order/placed.ts';
import { readingOrder } from './order/reading-order.ts';
import type { PageBlock, Word } from './page-content.ts';
import { paragraphs, usualLeading } from './paragraphs.ts';
import { cutRow, type Row, rowsOf, toRow } from './rows.ts';
import { alignedTables } from './tables/aligned-tables.ts';
import { type FoundTable, ruledTables } from './tables/ruled-tables.ts';
import { bulletWords, type DrawnDot } from './text/bullets.ts';
import { joinSpacedLetters } from './text/letter-spacing.ts';
import { numbersBeside } from './text/page-number.ts';

/** What was found on a page, upright, in points from its top left corner. */
export interface PageParts {
  width: number;
  height: number;
  words: Word[];
  rules: Box[];
  dots: DrawnDot[];
  pictures: Box[];
  /** Tables that a model has read, with their words. */
  tables?: FoundTable[];
}

export interface BuiltPage {
  blocks: PageBlock[];
  /** Why the result may be wrong, for pages that can be read another way. */
  doubts: ('table' | 'columns')[];
}

type Item = Placed & { block?: PageBlock };

/** Turns words and lines into blocks in reading order. */
export function buildPage(parts: PageParts): BuiltPage {
  const words = [...parts.words, ...bulletWords(parts.dots, parts.words)];
  const given = parts.tables ?? [];
  const free = (word: Word) => !given.some((table) => table.words.has(word));
  const ruled = ruledTables(parts.rules, words.filter(free)).filter(
    ({ block }) => !given.some((table) => overlap(table.block.box, block.box) > 0.3 * area(block.box)),
  );
  const tables = [...given, ...ruled];
  const outside = words.filter((word) => !tables.some((table) => table.words.has(word)));
  const numbers = numbersBeside(outside, parts.height);
  const apart = new Set(numbers.flatMap(({ row }) => row.words));
  const rest = outside.filter((word) => !apart.has(word));
  const doubts: BuiltPage['doubts'] = [];
  const whole: Item[] = [
    ...tables.map(({ block }) => ({ box: block.box, block })),
    ...pictureItems(parts).map((box) => ({
      box,
      block: { type: 'picture', box, text: '' } satisfies PageBlock,
    })),
  ];
  // Lines of tables that are known would make a table of the text below them.
  const flat = parts.rules.filter(
    (box) => width(box) > height(box) && !tables.some(({ block }) => touches(block.box, box)),
  );
  flat.sort((a, b) => a.top - b.top);
  const body = arrange(rest, whole, flat, doubts, 0);
  const numbered = (top: boolean) =>
    numbers.filter(({ atTop }) => atTop === top).flatMap(({ row }) => paragraphs([row]));
  return { blocks: [...numbered(true), ...body, ...numbered(false)], doubts };
}

const touches = (table: Box, rule: Box) => rule.bottom > table.top - 3 && rule.top < table.bottom + 3;

/** Pictures that are part of the page: not its background, and not the dots and icons within the text. */
function pictureItems(parts: PageParts): Box[] {
  const page = parts.width * parts.height;
  const large = parts.pictures.filter(
    (box) => width(box) > 24 && height(box) > 24 && area(box) < 0.85 * page,
  );
  return large.filter((box, index) =>
    large.every(
      (other, at) =>
        at === index || overlap(box, other) < 0.8 * area(box) || (at > index && area(box) >= area(other)),
    ),
  );
}

/** Columns of prose first, then tables, which may span them, then what is left. */
function arrange(
  words: Word[],
  whole: Item[],
  rules: Box[],
  doubts: BuiltPage['doubts'],
  depth: number,
): PageBlock[] {
  const rows = rowsOf(words).map(joinSpacedLetters);
  const items: Item[] = [
    ...rows.flatMap((row) => cutRow(row, columnGap).map((part) => ({ box: part.box, row: part }))),
    ...whole,
  ];
  const sorted = items.toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  const columns = depth < 6 ? findColumns(sorted) : undefined;
  const again = (part: Item[]) =>
    part.length === 0
      ? []
      : arrange(
          part.flatMap((item) => item.row?.words ?? []),
          part.filter((item) => !item.row),
          rules,
          doubts,
          depth + 1,
        );
  if (columns && isProse(columns.sides))
    return [...again(columns.before), ...columns.sides.flatMap(again), ...again(columns.after)];
  const tables = alignedTables(rows, rules);
  if (tables.some((table) => !table.sure)) doubts.push('table');
  const taken = new Set(tables.flatMap(({ from, to }) => rows.slice(from, to)).flatMap((row) => row.words));
  const left = items.filter((item) => !item.row?.words.some((word) => taken.has(word)));
  const blocks: Item[] = tables.map(({ block }) => ({ box: block.box, block }));
  const groups = readingOrder<Item>([...left, ...blocks]);
  if (groups.length > 1) doubts.push('columns');
  return groups.flatMap(blocksOf);
}

/** Both sides have several lines that fill their column. */
function isProse(sides: Item[][]): boolean {
  return sides.every((side) => {
    const lines = linesOf(side);
    const room = width(union(lines.map((line) => line.box)));
    const full = lines.filter((line) => width(line.box) > 0.75 * room && line.words.length > 3);
    return full.length >= 4 && full.length >= 0.4 * lines.length;
  });
}

/** Parts of one row come together again, and text is grouped between tables and pictures. */
function blocksOf(group: Item[]): PageBlock[] {
  const blocks: PageBlock[] = [];
  let rows: Row[] = [];
  const usual = usualLeading(rejoin(group.flatMap((item) => item.row ?? [])));
  const flush = () => {
    if (rows.length > 0) blocks.push(...paragraphs(rejoin(rows), usual));
    rows = [];
  };
  for (const item of group) {
    if (item.row) rows.push(item.row);
    else if (item.block) {
      flush();
      blocks.push(item.block);
    }
  }
  flush();
  return blocks;
}

const rejoin = (rows: Row[]): Row[] =>
  rowsOf(rows.flatMap((row) => row.words)).map((row) => toRow(row.words));

/** Gives words inside a link its address. */
export function addLinks(words: Word[], links: { box: Box; url: string }[]): Word[] {
  if (links.length === 0) return words;
  return words.map((word) => {
    const link = links.find(({ box }) => contains(box, middleX(word.box), middleY(word.box)));
    return link ? { ...word, link: link.url } : word;
  });
}
