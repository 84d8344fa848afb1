import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type Calibration, calibration } from '../../src/document-index/retrieval/ranking/calibration.ts';

/** Weights that were fitted without the questions of some documents. */
export interface Fold {
  /** The documents that were left out. */
  documents: string[];
  calibration: Calibration;
}

export const foldsPath = new URL('folds.json', import.meta.url);

/** Two halves, by type first, so that both have documents of every kind. */
export function splitDocuments(documents: Iterable<string>): [string[], string[]] {
  const kind = (name: string) => `${extname(name)} ${name}`;
  const sorted = [...new Set(documents)].sort((one, other) => (kind(one) < kind(other) ? -1 : 1));
  return [sorted.filter((_, at) => at % 2 === 0), sorted.filter((_, at) => at % 2 === 1)];
}

/** The number of the fold that leaves a document out, and its weights. Documents that no fold knows use the shipped ones. */
export function readFolds(): (document: string) => { fold: number; calibration: Calibration } {
  const folds: Fold[] = JSON.parse(readFileSync(foldsPath, 'utf8'));
  return (document) => {
    const fold = folds.findIndex(({ documents }) => documents.includes(document));
    return { fold, calibration: folds[fold]?.calibration ?? calibration };
  };
}
