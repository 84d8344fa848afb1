/**
 * Fits the weights of the ranking and of the judgement whether a question can be answered: on all documents for
 * `src/document-index/retrieval/ranking/calibration.json`, and on each half for `folds.json`, with which `quality.ts` reports on
 * the other half.
 *
 * node bench/retrieval/fit.ts <evaluation folder>
 */
import { writeFileSync } from 'node:fs';
import { gatherCandidates } from '../../src/document-index/retrieval/gather-candidates.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import { fitCalibration, type Sample } from './fit-calibration.ts';
import { type Fold, foldsPath, splitDocuments } from './folds.ts';
import { type EvaluationRow, knownLanguages, readRows, withEncoders } from './rows.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: node bench/retrieval/fit.ts <evaluation folder>');

/** The other rows show how the weights do with a model and a corpus that they were not fitted on. */
const rows = readRows(folder).filter(
  ({ name, model }) => ['English', 'Russian', 'Russian → English'].includes(name) && model !== 'e5-small-v2',
);
const documents = new Set(rows.flatMap(({ questions }) => questions.map(({ document }) => document)));

async function gatherRow(row: EvaluationRow, corpus: Corpus): Promise<Sample[]> {
  const samples: Sample[] = [];
  const isCrossing = row.questionLanguage !== row.passageLanguage;
  for (const isAnswerable of [true, false]) {
    for (const document of documents) {
      const questions = row.questions.filter((question) => question.document === document);
      if (!isAnswerable) await corpus.setHidden(document, true);
      for (const { question, relevant } of questions) {
        const query = { question, credentials: 'platform' as const, signal: AbortSignal.timeout(60_000) };
        const gathered = await gatherCandidates(corpus.search, { bot: corpus.bot, query });
        samples.push({ document, isCrossing, gathered, relevant, isAnswerable });
      }
      if (!isAnswerable) await corpus.setHidden(document, false);
    }
  }
  return samples;
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

const fitted = fitCalibration(samples);
const folds: Fold[] = splitDocuments(documents).map((left) => ({
  documents: left,
  calibration: fitCalibration(samples.filter(({ document }) => !left.includes(document))),
}));
const path = new URL('../../src/document-index/retrieval/ranking/calibration.json', import.meta.url);
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
writeFileSync(path, json(fitted));
writeFileSync(foldsPath, json(folds));
console.log(json(fitted));
