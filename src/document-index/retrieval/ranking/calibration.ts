import { readFileSync } from 'node:fs';
import type { RankingWeights } from './rank-candidates.ts';
import type { WordFit } from './word-fit.ts';

/** What speaks for an answer: the best passage for a question. */
export interface Evidence {
  coverage: number;
  sentenceCoverage: number;
  window: number;
  /** Similarities on the model's own scale; null without an embeddings model that knows the language. */
  dense: number | null;
  sentence: number | null;
  /** Null where no words were translated. */
  fit: WordFit | null;
  /** Of the question, ISO 639-3. */
  language: string;
  /** Whether the passage is in the language of the question. */
  sameLanguage: boolean;
}

export interface Coefficients {
  /** From which confidence on a question is answered. */
  threshold: number;
  bias: number;
  coverage: number;
  sentenceCoverage: number;
  window: number;
  dense: number;
  sentence: number;
  /** Only for other languages. */
  fit?: WordFit;
}

export interface Calibration {
  /** How this file was made. */
  command: string;
  ranking: RankingWeights;
  lexical: Coefficients;
  hybrid: Coefficients;
  /** Russian words have more forms than stems reach, so less of a question is found in its answer. */
  hybridRussian: Coefficients;
  crossLanguage: Coefficients;
}

/** The fitted weights, in `calibration.json`. `bench/retrieval/fit.ts` makes them. */
export const calibration: Calibration = JSON.parse(
  readFileSync(new URL('calibration.json', import.meta.url), 'utf8'),
);
