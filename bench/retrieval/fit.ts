/**
 * Fits the weights of the ranking and of the judgement whether a question can be answered, and writes
 * `src/document-index/retrieval/calibration.json`. Every second document is used; `quality.ts` reports on the others.
 *
 * node bench/retrieval/fit.ts <evaluation folder>
 */
import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import {
  type Calibration,
  type Coefficients,
  calibration,
  type Evidence,
} from '../../src/document-index/retrieval/calibration.ts';
import { gatherCandidates } from '../../src/document-index/retrieval/gather-candidates.ts';
import { kindOf } from '../../src/document-index/retrieval/judge-answerable.ts';
import { candidateParts, rankCandidates } from '../../src/document-index/retrieval/rank-candidates.ts';
import { evidenceOf } from '../../src/document-index/retrieval/rank-chunks.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import {
  dot,
  featureNames,
  featuresOf,
  fitLogistic,
  fitRanking,
  type Judged,
  type RankingExample,
} from './fit-models.ts';
import { type EvaluationRow, knownLanguages, readRows, withEncoders } from './rows.ts';

/** Share of the answerable questions that must be answered where the threshold is set. */
const answered = 0.97;

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: node bench/retrieval/fit.ts <evaluation folder>');

/** The other rows show how the weights do with a model and a corpus that they were not fitted on. */
const rows = readRows(folder).filter(
  ({ name, model }) => ['English', 'Russian', 'Russian → English'].includes(name) && model !== 'e5-small-v2',
);
const named = new Set(rows.flatMap(({ questions }) => questions.map(({ document }) => document)));
// By type first, so that both halves have documents of every kind.
const kind = (name: string) => `${extname(name)} ${name}`;
const documents = [...named].sort((one, other) => (kind(one) < kind(other) ? -1 : 1));
const used = documents.filter((_, at) => at % 2 === 0);

type Gathered = Awaited<ReturnType<typeof gatherCandidates>>;
interface Sample {
  row: EvaluationRow;
  gathered: Gathered;
  relevant: ReadonlySet<number>;
  isAnswerable: boolean;
}

async function gatherRow(row: EvaluationRow, corpus: Corpus): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const isAnswerable of [true, false]) {
    for (const document of used) {
      const questions = row.questions.filter((question) => question.document === document);
      if (!isAnswerable) await corpus.setHidden(document, true);
      for (const { question, relevant } of questions) {
        const query = { question, credentials: 'platform' as const, signal: AbortSignal.timeout(60_000) };
        const gathered = await gatherCandidates(corpus.search, { bot: corpus.bot, query });
        samples.push({ row, gathered, relevant, isAnswerable });
      }
      if (!isAnswerable) await corpus.setHidden(document, false);
    }
  }
  return samples;
}

function fitWeights(samples: readonly Sample[]): Calibration['ranking'] {
  const examples: RankingExample[] = samples
    .filter(({ isAnswerable, row }) => isAnswerable && row.questionLanguage === row.passageLanguage)
    .filter(({ gathered }) => gathered.scales !== null)
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

function topEvidence({ gathered }: Sample, ranking: Calibration['ranking']): Evidence | undefined {
  const candidates = gathered.formulations[0]?.candidates ?? [];
  const scores = rankCandidates(candidates, ranking);
  const top = scores.indexOf(Math.max(...scores));
  const candidate = candidates[top];
  const chunk = gathered.chunks[top];
  return candidate && chunk && evidenceOf(candidate, chunk, gathered.language, gathered.scales);
}

function fitCoefficients(samples: readonly { evidence: Evidence; isAnswerable: boolean }[]): Coefficients {
  const judged: Judged[] = samples.map(({ evidence, isAnswerable }) => ({
    features: [
      evidence.coverage,
      evidence.sentenceCoverage,
      evidence.dense ?? 0,
      evidence.sentence ?? evidence.dense ?? 0,
    ],
    isAnswerable,
  }));
  const [bias = 0, coverage = 0, sentenceCoverage = 0, dense = 0, sentence = 0] = fitLogistic(judged).map(
    (value) => Math.round(100 * value) / 100,
  );
  const weights = [bias, coverage, sentenceCoverage, dense, sentence];
  const confidences = judged
    .filter(({ isAnswerable }) => isAnswerable)
    .map(({ features }) => 1 / (1 + Math.exp(-dot([1, ...features], weights))))
    .sort((a, b) => a - b);
  const threshold =
    Math.round(1_000 * (confidences[Math.floor((1 - answered) * confidences.length)] ?? 0.5)) / 1_000;
  return { threshold, bias, coverage, sentenceCoverage, dense, sentence };
}

const samples = await withEncoders(async (encoderOf) => {
  const all: Sample[] = [];
  for (const row of rows) {
    const corpus = await openCorpus(row.passages, {
      encoder: await encoderOf(row.model),
      language: row.passageLanguage,
      knownLanguages: knownLanguages(row.model),
    });
    all.push(...(await gatherRow(row, corpus)));
    await corpus.close();
    console.log(`${row.name}, ${row.model}: searched`);
  }
  return all;
});

const ranking = fitWeights(samples);
const evidences = samples.flatMap((sample) => {
  const evidence = topEvidence(sample, ranking);
  return evidence ? [{ evidence, isAnswerable: sample.isAnswerable }] : [];
});
const withoutVectors = evidences
  .filter(({ evidence }) => evidence.sameLanguage)
  .map(({ evidence, isAnswerable }) => ({
    evidence: { ...evidence, dense: null, sentence: null },
    isAnswerable,
  }));
const of = (kind: string) => evidences.filter(({ evidence }) => kindOf(evidence) === kind);
const fitted: Calibration = {
  command: 'node bench/retrieval/fit.ts <evaluation folder>',
  documents: used,
  ranking,
  lexical: fitCoefficients(withoutVectors),
  hybrid: fitCoefficients(of('hybrid')),
  hybridRussian: fitCoefficients(of('hybridRussian')),
  crossLanguage: fitCoefficients(of('crossLanguage')),
};
const path = new URL('../../src/document-index/retrieval/calibration.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(fitted, null, 2)}\n`);
console.log(JSON.stringify({ before: calibration.ranking, now: fitted }, null, 2));
