import type { DocumentElement } from '../element.ts';
import type { ChunkingLimits } from './chunking-options.ts';
import { wholeTail } from './split-text.ts';

export const separator = '\n\n';

/** Elements that become one chunk, or several if a single one is too long. */
export interface Section {
  elements: DocumentElement[];
  /** The end of the chunk before, if chunks overlap. */
  prefix: string;
  text: string;
}

export const isTable = (element: DocumentElement): boolean => element.kind === 'Table';
const isTableAlone = (elements: readonly DocumentElement[]) =>
  elements.length === 1 && elements.some(isTable);

/** White space within an element is one space, except in code. */
export function shownText({ kind, text }: DocumentElement): string {
  return kind === 'CodeSnippet' ? text : text.replace(/\s+/gu, ' ').trim();
}

function sectionOf(elements: DocumentElement[], prefix: string): Section {
  const texts = [prefix, ...elements.map(shownText)].filter((text) => text !== '');
  return { elements, prefix, text: texts.join(separator) };
}

/** Gathers elements as long as they fit. A table is alone; by_title, a title begins anew, and a page may. */
export function* sections(elements: Iterable<DocumentElement>, limits: ChunkingLimits): Generator<Section> {
  let current: DocumentElement[] = [];
  let prefix = '';
  let page: number | undefined;
  let length = 0;
  let segments = 0;
  const flush = function* (): Generator<Section> {
    if (current.length === 0) return;
    const section = sectionOf(current, prefix);
    const overlapping = limits.overlapBetween > 0 && !isTableAlone(current);
    prefix = overlapping ? wholeTail(section.text, limits.overlapBetween).trim() : '';
    current = [];
    length = prefix.length;
    segments = prefix === '' ? 0 : 1;
    yield section;
  };
  const fits = (element: DocumentElement) => {
    if (current.length === 0) return true;
    if (isTable(element) || current.some(isTable)) return false;
    if (length + separator.length * Math.max(0, segments - 1) > limits.soft) return false;
    return length + separator.length * segments + element.text.length <= limits.most;
  };
  for (const element of elements) {
    const turned = page !== undefined && element.page !== undefined && element.page !== page;
    page = element.page ?? page ?? 1;
    const begins = limits.byTitle && (element.kind === 'Title' || (turned && !limits.multipage));
    if (begins || !fits(element)) yield* flush();
    if (current.length === 0 && isTable(element)) {
      [prefix, length, segments] = ['', 0, 0];
    }
    current.push(element);
    if (element.text !== '') {
      length += element.text.length;
      segments++;
    }
  }
  yield* flush();
}

/** Joins sections that are shorter than `combineUnder` with the next, if both fit. */
export function* combined(parts: Iterable<Section>, limits: ChunkingLimits): Generator<Section> {
  let held: Section | undefined;
  for (const part of parts) {
    const joined: Section | undefined = held && joinable(held, part, limits);
    if (held && !joined) yield held;
    held = joined ?? part;
  }
  if (held) yield held;
}

function joinable(one: Section, other: Section, limits: ChunkingLimits): Section | undefined {
  if (one.elements.some(isTable) || other.elements.some(isTable)) return undefined;
  if (one.text.length >= limits.combineUnder) return undefined;
  const joined = sectionOf([...one.elements, ...other.elements], one.prefix);
  return joined.text.length <= limits.most ? joined : undefined;
}
