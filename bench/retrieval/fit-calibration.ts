import type {
  Calibration,
  Coefficients,
  Evidence,
} from '../../src/document-index/retrieval/ranking/calibration.ts';
import { kindOf } from '../../src/document-index/retrieval/ranking/judge-answerable.ts';
import {
  type Candidate,
  candidateParts,
} from '../../src/document-index/retrieval/ranking/rank-candidates.ts';
import {
  bestEvidence,
  type Gathered,
  scoresOf,
} from '../../src/document-index/retrieval/ranking/rank-chunks.ts';
import { dot, featureNames, featuresOf, fitLogistic, fitRanking, type Judged } from './fit-models.ts';

/** A question with what was found for it, with its document or without. */
export interface Sample {
  document: string;
  isCrossing: boolean;
  gathered: Gathered;
  relevant: ReadonlySet<number>;
  isAnswerable: boolean;
}

/** The goals for the shares of answerable questions that are answered, and of others that are refused. */
const answered = 0.95;
const refused = 0.85;
/** Where both goals can't be had. Above the goal, as other documents always do a little worse. */
const answeredAlone = { sameLanguage: 0.965, crossLanguage: 0.96 };

export function fitCalibration(samples: readonly Sample[]): Calibration {
  const ranking = fitWeights(samples);
  const evidences = judgedEvidence(samples, ranking);
  const withoutVectors = judgedEvidence(
    samples.filter(({ isCrossing }) => !isCrossing).map(lexicalOnly),
    ranking,
  );
  const of = (kind: string) => evidences.filter(({ evidence }) => kindOf(evidence) === kind);
  return {
    command: 'node bench/retrieval/fit.ts <evaluation folder>',
    ranking,
    lexical: fitCoefficients(withoutVectors),
    hybrid: fitCoefficients(of('hybrid')),
    hybridRussian: fitCoefficients(of('hybridRussian')),
    crossLanguage: fitCoefficients(of('crossLanguage'), 'crossLanguage'),
  };
}

function fitWeights(samples: readonly Sample[]): Calibration['ranking'] {
  const examples = samples
    .filter(({ isAnswerable, isCrossing }) => isAnswerable && !isCrossing)
    .map(({ gathered, relevant }) => ({
      features: candidateParts(gathered.formulations[0]?.candidates ?? []).map(featuresOf),
      relevant: gathered.chunks.map(({ id }) => relevant.has(id)),
    }));
  const weights = fitRanking(examples, featureNames.length);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const share = (at: number) => Math.round((1_000 * (weights[at] ?? 0)) / total) / 1_000;
  return Object.fromEntries(
    featureNames.map((name, at) => [name, share(at)]),
  ) as unknown as Calibration['ranking'];
}

interface JudgedEvidence {
  evidence: Evidence;
  isAnswerable: boolean;
}

function judgedEvidence(samples: readonly Sample[], ranking: Calibration['ranking']): JudgedEvidence[] {
  return samples.flatMap(({ gathered, isAnswerable }) => {
    const candidates = gathered.formulations[0]?.candidates ?? [];
    const evidence = bestEvidence({ ...gathered, candidates }, scoresOf(candidates, ranking));
    return evidence ? [{ evidence, isAnswerable }] : [];
  });
}

const lexicalOnly = (sample: Sample): Sample => ({
  ...sample,
  gathered: {
    ...sample.gathered,
    formulations: sample.gathered.formulations.map(({ text, candidates }) => ({
      text,
      candidates: candidates.map(withoutVector),
    })),
  },
});

const withoutVector = ({ hit, ...rest }: Candidate): Candidate => ({
  ...rest,
  hit: hit && { lexical: hit.lexical, dense: null, sentence: null },
});

function fitCoefficients(
  samples: readonly JudgedEvidence[],
  languages: keyof typeof answeredAlone = 'sameLanguage',
): Coefficients {
  const withFit = languages === 'crossLanguage';
  const judged: Judged[] = samples.map(({ evidence, isAnswerable }) => ({
    features: [
      evidence.coverage,
      evidence.sentenceCoverage,
      evidence.window,
      evidence.dense ?? 0,
      evidence.sentence ?? evidence.dense ?? 0,
      ...(withFit ? fitFeatures(evidence) : []),
    ],
    isAnswerable,
  }));
  const weights = fitLogistic(judged).map((value) => Math.round(100 * value) / 100);
  const [bias = 0, coverage = 0, sentenceCoverage = 0, window = 0, dense = 0, sentence = 0, ...fitted] =
    weights;
  const sums = (isAnswerable: boolean) =>
    judged
      .filter((example) => example.isAnswerable === isAnswerable)
      .map(({ features }) => dot([1, ...features], weights))
      .sort((a, b) => a - b);
  const threshold =
    Math.round(1_000 / (1 + Math.exp(-thresholdOf(sums(true), sums(false), answeredAlone[languages])))) /
    1_000;
  const coefficients = { threshold, bias, coverage, sentenceCoverage, window, dense, sentence };
  const [text = 0, inSentence = 0, names = 0] = fitted;
  return withFit ? { ...coefficients, fit: { text, sentence: inSentence, names } } : coefficients;
}

const fitFeatures = ({ fit }: Evidence) => [fit?.text ?? 0, fit?.sentence ?? 0, fit?.names ?? 0];

/** Halfway between what just meets one goal and what just meets the other, as each is met less on other documents. */
function thresholdOf(answerable: readonly number[], others: readonly number[], alone: number): number {
  const quantile = (sums: readonly number[], share: number) => sums[Math.floor(share * sums.length)] ?? 0;
  const highest = quantile(answerable, 1 - answered);
  const lowest = quantile(others, refused);
  return highest > lowest ? (highest + lowest) / 2 : quantile(answerable, 1 - alone);
}
