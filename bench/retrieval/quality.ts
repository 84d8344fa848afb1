/**
 * Retrieval quality of `searchBot` on questions with known passages, beside BM25 alone and vectors alone. Each question
 * is asked with weights that were fitted without its document; the figures of the two halves stand in brackets. `--only`
 * takes a part of a row's name or model. `--rerank` adds the cross-encoder for every fourth English question.
 *
 * node bench/retrieval/quality.ts <evaluation folder> [--only <row>] [--rerank]
 */
import { parseArgs } from 'node:util';
import type { Found } from '../../src/contracts/retrieval.ts';
import { fuseHits } from '../../src/document-index/retrieval/ranking/fuse-hits.ts';
import { searchBot } from '../../src/document-index/retrieval/search-bot.ts';
import type { Hit } from '../../src/platform/vectors/vector-store.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import type { EvaluationQuestion } from './evaluation-set.ts';
import { readFolds } from './folds.ts';
import { goals, type RowFigures, type Split } from './goals.ts';
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
const foldOf = readFolds();

type Ranker = (question: EvaluationQuestion) => Promise<number[]>;

const best = (hits: readonly Hit[], score: (hit: Hit) => number | null): number[] =>
  hits
    .filter((hit) => score(hit) !== null)
    .sort((a, b) => (score(b) ?? 0) - (score(a) ?? 0))
    .map(({ id }) => id);

async function measured(questions: readonly EvaluationQuestion[], rank: Ranker): Promise<Split<Measures>> {
  const rankings = [];
  for (const question of questions) {
    const { relevant, document } = question;
    rankings.push({ ids: await rank(question), relevant, fold: foldOf(document).fold });
  }
  return split(rankings, measure);
}

/** A figure for all questions, and for those of each half. */
function split<Item extends { fold: number }, Figure>(
  items: readonly Item[],
  figure: (items: readonly Item[]) => Figure,
): Split<Figure> {
  return {
    all: figure(items),
    halves: [0, 1].map((half) => figure(items.filter(({ fold }) => fold === half))),
  };
}

const ask = (corpus: Corpus, { question, document }: EvaluationQuestion) =>
  searchBot(
    { ...corpus.search, calibration: foldOf(document).calibration },
    { bot: corpus.bot, query: { question, credentials: 'platform', signal: AbortSignal.timeout(60_000) } },
  );

/** Shares of questions that are answered with their document, and refused without it. */
async function judged(
  corpus: Corpus,
  known: ReadonlyMap<string, Found>,
  questions: readonly EvaluationQuestion[],
): Promise<Pick<RowFigures, 'answered' | 'refused'>> {
  const results: { fold: number; isAnswered: boolean; isRefused: boolean }[] = [];
  for (const document of new Set(questions.map((question) => question.document))) {
    const { fold } = foldOf(document);
    await corpus.setHidden(document, true);
    for (const question of questions.filter((one) => one.document === document)) {
      const isAnswered = known.get(question.id)?.answerable === true;
      results.push({ fold, isAnswered, isRefused: !(await ask(corpus, question)).answerable });
    }
    await corpus.setHidden(document, false);
  }
  const share = (which: 'isAnswered' | 'isRefused') =>
    split(results, (some) => some.filter((result) => result[which]).length / some.length);
  return { answered: share('isAnswered'), refused: share('isRefused') };
}

/** The cross-encoder needs half a second per question. */
const isSampled = (_: EvaluationQuestion, at: number) => at % 4 === 0;

async function figuresOf(row: EvaluationRow, corpus: Corpus, reranking: Corpus | null): Promise<RowFigures> {
  const { questions } = row;
  const both = { dense: true, lexical: true };
  const fused =
    (sentence: number): Ranker =>
    async ({ question }) =>
      fuseHits(await corpus.hits(question, both), { lexical: 0.5, dense: 0.5 - sentence, sentence }).map(
        ({ hit }) => hit.id,
      );
  const known = new Map<string, Found>();
  const found =
    (from: Corpus): Ranker =>
    async (question) => {
      const answer = await ask(from, question);
      if (from === corpus) known.set(question.id, answer);
      return answer.passages.map(({ id }) => id);
    };
  const sampled = questions.filter(isSampled);
  return {
    questions: questions.length,
    passages: row.passages.length,
    bm25: await measured(questions, async ({ question }) =>
      best(await corpus.hits(question, { dense: false, lexical: true }), ({ lexical }) => lexical || null),
    ),
    dense: await measured(questions, async ({ question }) =>
      best(await corpus.hits(question, { dense: true, lexical: false }), ({ dense }) => dense),
    ),
    fused: await measured(questions, fused(0)),
    sentences: await measured(questions, fused(0.25)),
    searchBot: await measured(questions, found(corpus)),
    sampled: reranking && (await measured(sampled, found(corpus))),
    reranked: reranking && (await measured(sampled, found(reranking))),
    ...(await judged(corpus, known, questions)),
  };
}

const brackets = (halves: readonly number[]) => `(${halves.map(percent).join(' ')})`;
const line = (name: string, { all, halves }: Split<Measures>) =>
  `  ${name.padEnd(12)} R@1 ${percent(all.first)} ${brackets(halves.map(({ first }) => first))}   nDCG@10 ${percent(all.ndcg)} ${brackets(halves.map(({ ndcg }) => ndcg))}`;
const shareLine = (name: string, { all, halves }: Split<number>) =>
  `  ${name.padEnd(12)} ${percent(all)} ${brackets(halves)}`;

const names = ['bm25', 'dense', 'fused', 'sentences', 'searchBot', 'sampled', 'reranked'] as const;
const reranker = values.rerank ? await openReranker() : null;
const missed: string[] = [];
let count = 0;
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
    for (const name of names) {
      const value = figures[name];
      if (value) console.log(line(name, value));
    }
    console.log(shareLine('answered', figures.answered));
    console.log(`${shareLine('refused', figures.refused)} without the document`);
    const wanted = goals(row, figures);
    if (wanted.length === 0) console.log('  no goals: reported only');
    for (const { goal, isMet } of wanted) {
      console.log(`  ${isMet ? 'ok    ' : 'MISSED'} ${goal}`);
      count++;
      if (!isMet) missed.push(`${row.name}, ${row.model}: ${goal}`);
    }
  }
});
await reranker?.close();
console.log(`\n${[`${count - missed.length} of ${count} goals met`, ...missed].join('\n  missed: ')}`);
process.exitCode = missed.length > 0 ? 1 : 0;
