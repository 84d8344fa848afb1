import type { Calibration, Evidence } from './calibration.ts';
import type { WordFit } from './word-fit.ts';

export interface Judgement {
  /** The probability that the documents contain an answer. */
  confidence: number;
  answerable: boolean;
}

/** Judges by the best passage whether the documents contain an answer. */
export function judgeAnswerable(evidence: Evidence, calibration: Calibration): Judgement {
  const { threshold, bias, coverage, sentenceCoverage, window, dense, sentence, fit } =
    calibration[kindOf(evidence)];
  const sum =
    bias +
    coverage * evidence.coverage +
    sentenceCoverage * evidence.sentenceCoverage +
    window * evidence.window +
    dense * (evidence.dense ?? 0) +
    sentence * (evidence.sentence ?? evidence.dense ?? 0) +
    (fit && evidence.fit ? weighted(evidence.fit, fit) : 0);
  const confidence = 1 / (1 + Math.exp(-sum));
  return { confidence, answerable: confidence >= threshold };
}

const weighted = (fit: WordFit, by: WordFit) =>
  by.text * fit.text + by.sentence * fit.sentence + by.names * fit.names;

/** Words can't be compared between languages, and vectors may be missing: each case has its own coefficients. */
export function kindOf({ dense, sameLanguage, language }: Evidence): EvidenceKind {
  if (dense === null) return 'lexical';
  if (!sameLanguage) return 'crossLanguage';
  return language === 'rus' ? 'hybridRussian' : 'hybrid';
}

type EvidenceKind = 'lexical' | 'hybrid' | 'hybridRussian' | 'crossLanguage';
