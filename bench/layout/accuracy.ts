import { join } from 'node:path';
import { atLeast, type Verdict } from '../dispatcher/verdicts.ts';
import type { TrueDocument, TrueElement } from './corpus/block.ts';
import type { Corpus } from './corpus/generate.ts';
import { compareOutlines } from './measures/outline.ts';
import { readingOrder } from './measures/reading-order.ts';
import { add, f1, noScore, type Score } from './measures/scores.ts';
import { treeSimilarity } from './measures/table-tree.ts';
import { compareCells, pairTables } from './measures/tables.ts';
import { similarity } from './measures/text.ts';
import type { FoundElement, Reader, Strategy } from './readers/reader.ts';

/** How well one document was read. Scores are added up over a class of documents, other figures are averaged. */
export interface DocumentAccuracy {
  document: TrueDocument;
  text: number;
  order: number | undefined;
  headings: Score & { depths: number };
  items: Score & { depths: number };
  running: Score;
  ruledCells: Score;
  openCells: Score;
  trees: number[];
}

const running = new Set(['Header', 'Footer', 'PageNumber']);
const silent = new Set([...running, 'PageBreak', 'Image']);

export async function readCorpus(
  reader: Reader,
  { folder, documents }: Corpus,
  strategyOf: (document: TrueDocument) => Strategy,
): Promise<DocumentAccuracy[]> {
  const results: DocumentAccuracy[] = [];
  console.log(`${reader.name} reads ${documents.length} documents`);
  for (const document of documents) {
    const path = join(folder, `${document.name}.pdf`);
    try {
      results.push(judge(document, await reader.read(path, strategyOf(document), [document.language])));
    } catch (error) {
      console.log(`${reader.name} failed on ${document.name}: ${(error as Error).message.split('\n')[0]}`);
      // A peer may lack something on this machine; ours has no excuse.
      if (reader.ours) results.push(judge(document, []));
    }
  }
  return results;
}

export function judge(document: TrueDocument, found: FoundElement[]): DocumentAccuracy {
  const truth = document.elements;
  const bodyOf = <Element extends FoundElement>(elements: Element[]) =>
    elements
      .filter((element) => !silent.has(element.kind) && element.text !== '')
      .map((element) => element.text);
  const of = <Element extends FoundElement>(elements: Element[], kind: string) =>
    elements.filter((element) => element.kind === kind);
  const lines = (elements: FoundElement[]) =>
    elements
      .filter((element) => running.has(element.kind))
      .map(({ page, text }) => ({ text: `${page} ${text}` }));
  return {
    document,
    text: similarity(bodyOf(truth).join('\n'), bodyOf(found).join('\n')),
    order: readingOrder(bodyOf(truth), bodyOf(found)),
    headings: compareOutlines(of(truth, 'Title'), of(found, 'Title')),
    items: compareOutlines(of(truth, 'ListItem'), of(found, 'ListItem')),
    running: compareOutlines(lines(truth), lines(found)),
    ...judgeTables(of(truth, 'Table'), of(found, 'Table')),
  };
}

function judgeTables(
  truth: TrueElement[],
  found: FoundElement[],
): Pick<DocumentAccuracy, 'ruledCells' | 'openCells' | 'trees'> {
  const result = { ruledCells: noScore, openCells: noScore, trees: [] as number[] };
  const looks = new Map(truth.map((element) => [element.table, element.look]));
  const tables = (elements: FoundElement[]) => elements.flatMap((element) => element.table ?? []);
  // A table that is none counts against the kind of tables that the document has.
  const usual = truth[0]?.look ?? 'ruled';
  for (const pair of pairTables(tables(truth), tables(found))) {
    const look = looks.get(pair.expected) ?? usual;
    const row = look === 'ruled' ? 'ruledCells' : 'openCells';
    result[row] = add(result[row], compareCells(pair.expected, pair.found));
    if (pair.expected) result.trees.push(pair.found ? treeSimilarity(pair.expected, pair.found) : 0);
  }
  return result;
}

interface Row {
  name: string;
  /** What is asked of digital documents and of scans; without a limit, the figure is only reported. */
  limits: { digital?: number; scanned?: number };
  value(results: DocumentAccuracy[]): number | undefined;
}

const total = (results: DocumentAccuracy[], score: (one: DocumentAccuracy) => Score) =>
  f1(results.map(score).reduce(add, noScore));
const depths = (scores: (Score & { depths: number })[]) => {
  const correct = scores.reduce((sum, one) => sum + one.correct, 0);
  return correct === 0 ? undefined : scores.reduce((sum, one) => sum + one.depths, 0) / correct;
};
const mean = (values: (number | undefined)[]) => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
};
const both = (limit: number) => ({ digital: limit, scanned: limit });

const rows: Row[] = [
  {
    name: 'text similarity',
    limits: { digital: 0.98, scanned: 0.93 },
    value: (all) => mean(all.map((one) => one.text)),
  },
  { name: 'headings F1', limits: both(0.92), value: (all) => total(all, (one) => one.headings) },
  { name: 'heading depths', limits: {}, value: (all) => depths(all.map((one) => one.headings)) },
  { name: 'list items F1', limits: both(0.92), value: (all) => total(all, (one) => one.items) },
  { name: 'list item depths', limits: {}, value: (all) => depths(all.map((one) => one.items)) },
  {
    name: "reading order (Kendall's tau)",
    limits: both(0.98),
    value: (all) => mean(all.map((one) => one.order)),
  },
  { name: 'cells F1, ruled tables', limits: both(0.93), value: (all) => total(all, (one) => one.ruledCells) },
  {
    name: 'cells F1, unruled tables',
    limits: both(0.85),
    value: (all) => total(all, (one) => one.openCells),
  },
  { name: 'table tree similarity (TEDS)', limits: {}, value: (all) => mean(all.flatMap((one) => one.trees)) },
  { name: 'headers, footers, page numbers F1', limits: {}, value: (all) => total(all, (one) => one.running) },
];

/** Each figure for digital documents and scans, beside the peers' figures, and by language where that is known. */
export function accuracyVerdicts(
  ours: DocumentAccuracy[],
  peers: { name: string; results: DocumentAccuracy[] }[],
  label: string,
): Verdict[] {
  return (['digital', 'scanned'] as const).flatMap((state) => {
    const kept = (results: DocumentAccuracy[], language?: string) =>
      results.filter(
        ({ document }) =>
          document.scanned === (state === 'scanned') && (!language || document.language === language),
      );
    if (kept(ours).length === 0) return [];
    return rows.flatMap((row): Verdict[] => {
      const value = row.value(kept(ours));
      if (value === undefined) return [];
      const shown = (results: DocumentAccuracy[]) => row.value(results)?.toFixed(3) ?? '–';
      const note = [
        `eng ${shown(kept(ours, 'eng'))}, rus ${shown(kept(ours, 'rus'))}`,
        ...peers
          .filter(({ results }) => kept(results).length > 0)
          .map(({ name, results }) => `${name} ${shown(kept(results))}`),
      ].join('; ');
      const what = `${label}, ${state}: ${row.name}`;
      const limit = row.limits[state];
      return [
        limit === undefined
          ? { what, value, target: 'reported', met: true, note }
          : atLeast(what, value, limit, note),
      ];
    });
  });
}
