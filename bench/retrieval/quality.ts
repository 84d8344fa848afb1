/**
 * Retrieval quality of `searchBot` on questions with known passages, beside BM25 alone and vectors alone. Questions of
 * documents that the weights were fitted on are left out, and given apart. `--only` takes a part of a row's name or model.
 *
 * node bench/retrieval/quality.ts <evaluation folder> [--only <row>] [--rerank]
 */
import { parseArgs } from 'node:util';
import { calibration } from '../../src/document-index/retrieval/calibration.ts';
import type { Found } from '../../src/document-index/retrieval/found.ts';
import { fuseHits } from '../../src/document-index/retrieval/fuse-hits.ts';
import { searchBot } from '../../src/document-index/retrieval/search-bot.ts';
import type { Hit } from '../../src/platform/vectors/vector-store.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import type { EvaluationQuestion } from './evaluation-set.ts';
import { goals, type RowFigures } from './goals.ts';
import { type Measures, measure, percent } from './measures.ts';
import { openReranker } from './reranker.ts';
import { type EvaluationRow, knownLanguages, readRows, withEncoders } from './rows.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, rerank: { type: 'boolean', default: false } },
});
const [folder] = positionals;
if (folder === undefined)
  throw new Error('Usage: node bench/retrieval/quality.ts <evaluation folder> [--only <row>] [--rerank]');
const fitted = new Set(calibration.documents);

type Ranker = (question: string) => Promise<number[]>;

const best = (hits: readonly Hit[], score: (hit: Hit) => number | null): number[] =>
  hits
    .filter((hit) => score(hit) !== null)
    .sort((a, b) => (score(b) ?? 0) - (score(a) ?? 0))
    .map(({ id }) => id);

async function measured(
  questions: readonly EvaluationQuestion[],
  rank: Ranker,
): Promise<Measures & { all: Measures }> {
  const rankings = [];
  for (const { question, document, relevant } of questions) {
    rankings.push({ ids: await rank(question), relevant, isUsed: fitted.has(document) });
  }
  return { ...measure(rankings.filter(({ isUsed }) => !isUsed)), all: measure(rankings) };
}

const ask = (corpus: Corpus, question: string) =>
  searchBot(corpus.search, {
    bot: corpus.bot,
    query: { question, credentials: 'platform', signal: AbortSignal.timeout(60_000) },
  });

/** Shares of questions that are answered, with their document and without it. */
async function judged(
  corpus: Corpus,
  known: ReadonlyMap<string, Found>,
  questions: readonly EvaluationQuestion[],
): Promise<{ answered: number; refused: number }> {
  let answered = 0;
  let refused = 0;
  for (const document of new Set(questions.map((question) => question.document))) {
    const own = questions.filter((question) => question.document === document);
    for (const { question } of own) if (known.get(question)?.answerable) answered++;
    await corpus.setHidden(document, true);
    for (const { question } of own) if (!(await ask(corpus, question)).answerable) refused++;
    await corpus.setHidden(document, false);
  }
  return { answered: answered / questions.length, refused: refused / questions.length };
}

async function figuresOf(row: EvaluationRow, corpus: Corpus, reranking: Corpus | null): Promise<RowFigures> {
  const { questions } = row;
  const others = questions.filter(({ document }) => !fitted.has(document));
  const both = { dense: true, lexical: true };
  const fused = (sentence: number) => async (question: string) =>
    fuseHits(await corpus.hits(question, both), { lexical: 0.5, dense: 0.5 - sentence, sentence }).map(
      ({ hit }) => hit.id,
    );
  const known = new Map<string, Found>();
  const found = (from: Corpus) => async (question: string) => {
    const answer = await ask(from, question);
    if (from === corpus) known.set(question, answer);
    return answer.passages.map(({ id }) => id);
  };
  return {
    questions: others.length,
    passages: row.passages.length,
    bm25: await measured(questions, async (question) =>
      best(await corpus.hits(question, { dense: false, lexical: true }), ({ lexical }) => lexical || null),
    ),
    dense: await measured(questions, async (question) =>
      best(await corpus.hits(question, { dense: true, lexical: false }), ({ dense }) => dense),
    ),
    fused: await measured(questions, fused(0)),
    sentences: await measured(questions, fused(0.25)),
    searchBot: await measured(questions, found(corpus)),
    reranked: reranking && (await measured(questions, found(reranking))),
    ...(await judged(corpus, known, others)),
  };
}

const line = (name: string, { first, ndcg, all }: Measures & { all: Measures }) =>
  `  ${name.padEnd(12)} R@1 ${percent(first)}   nDCG@10 ${percent(ndcg)}   (all questions ${percent(all.first)} ${percent(all.ndcg)})`;

const reranker = values.rerank ? await openReranker() : null;
let isMissed = false;
await withEncoders(async (encoderOf) => {
  for (const row of readRows(folder).filter(({ name, model }) => `${name} ${model}`.includes(values.only))) {
    const options = {
      encoder: await encoderOf(row.model),
      language: row.passageLanguage,
      knownLanguages: knownLanguages(row.model),
    };
    const corpus = await openCorpus(row.passages, options);
    // The cross-encoder is English, and slow: one row is enough to report it.
    const isReranked = row.name === 'English' && row.model === 'all-minilm-l6-v2';
    const reranking =
      reranker && isReranked ? await openCorpus(row.passages, { ...options, rerank: reranker.rerank }) : null;
    const figures = await figuresOf(row, corpus, reranking);
    await corpus.close();
    await reranking?.close();
    console.log(
      `\n${row.name} · ${row.model} · ${figures.questions} questions, ${figures.passages} passages`,
    );
    for (const name of ['bm25', 'dense', 'fused', 'sentences', 'searchBot', 'reranked'] as const) {
      const value = figures[name];
      if (value) console.log(line(name, value));
    }
    console.log(
      `  answered     ${percent(figures.answered)}   refused without the document ${percent(figures.refused)}`,
    );
    for (const { goal, isMet } of goals(row, figures)) {
      console.log(`  ${isMet ? 'ok    ' : 'MISSED'} ${goal}`);
      if (!isMet) isMissed = true;
    }
  }
});
await reranker?.close();
process.exitCode = isMissed ? 1 : 0;
