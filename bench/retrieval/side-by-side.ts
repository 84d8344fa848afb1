/**
 * Ingestion's chunks and `searchBot` beside a plain LangChain pipeline (recursive splitter, MiniLM, FAISS, the best six)
 * on the same questions. Each question is asked with weights that were fitted without its document, and neighbours are
 * not joined, so that both sides answer with six pieces.
 *
 * node bench/retrieval/side-by-side.ts <evaluation folder>
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchBot } from '../../src/document-index/retrieval/search-bot.ts';
import { pythonPackages } from '../../test/testkit/machine/installed-packages.ts';
import { miniLmFolder } from '../../test/testkit/models/minilm.ts';
import { openCorpus } from './corpus.ts';
import { type EvaluationPassage, type EvaluationQuestion, shared } from './evaluation-set.ts';
import { readFolds } from './folds.ts';
import { ingestedPassages } from './ingested-passages.ts';
import { percent } from './measures.ts';
import { type EvaluationRow, knownLanguages, readRows, withEncoders } from './rows.ts';

const top = 6;
const packages = [
  'langchain-core==1.7.2',
  'langchain-community==0.4.2',
  'langchain-text-splitters==1.1.3',
  'faiss-cpu==1.15.1',
  'onnxruntime==1.31.1',
  'tokenizers==0.23.3',
];

interface Piece {
  document: string;
  start: number;
  end: number;
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: node bench/retrieval/side-by-side.ts <evaluation folder>');

/** The share of the answer's characters that the pieces contain. */
function recall({ document, spans }: EvaluationQuestion, pieces: readonly Piece[]): number {
  const own = pieces.filter((piece) => piece.document === document);
  let found = 0;
  let all = 0;
  for (const { start, end } of spans) {
    for (let at = start; at < end; at++)
      if (own.some((piece) => piece.start <= at && at < piece.end)) found++;
    all += end - start;
  }
  return all === 0 ? 0 : found / all;
}

/** From 0; `top` if no piece contains at least half of a span. */
function rankOf({ document, spans }: EvaluationQuestion, pieces: readonly Piece[]): number {
  const rank = pieces.findIndex(
    (piece) =>
      piece.document === document && spans.some((span) => 2 * shared(piece, span) >= span.end - span.start),
  );
  return rank === -1 ? top : rank;
}

function figures(
  questions: readonly EvaluationQuestion[],
  found: ReadonlyMap<string, readonly Piece[]>,
): number[] {
  const mean = (value: (question: EvaluationQuestion, pieces: readonly Piece[]) => number) =>
    questions.reduce((sum, question) => sum + value(question, found.get(question.id) ?? []), 0) /
    questions.length;
  return [
    mean(recall),
    mean((question, pieces) => (rankOf(question, pieces) === 0 ? 1 : 0)),
    mean((question, pieces) => (rankOf(question, pieces) < top ? 1 / (1 + rankOf(question, pieces)) : 0)),
  ];
}

async function ours(
  row: EvaluationRow,
  chunks: readonly EvaluationPassage[],
  encoder: Parameters<typeof openCorpus>[1]['encoder'],
) {
  const corpus = await openCorpus(chunks, {
    encoder,
    language: row.passageLanguage,
    knownLanguages: knownLanguages(row.model),
  });
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  const found = new Map<string, Piece[]>();
  for (const { id, question, document } of row.questions) {
    const query = {
      question,
      limit: top,
      credentials: 'platform' as const,
      signal: AbortSignal.timeout(60_000),
    };
    const deps = { ...corpus.search, calibration: foldOf(document).calibration };
    const { passages } = await searchBot(deps, { bot: corpus.bot, query });
    found.set(
      id,
      passages.flatMap((passage) => byId.get(passage.id) ?? []),
    );
  }
  await corpus.close();
  return found;
}

const meanLength = (found: ReadonlyMap<string, readonly Piece[]>) => {
  const pieces = [...found.values()].flat();
  return Math.round(pieces.reduce((sum, { start, end }) => sum + end - start, 0) / pieces.length);
};

const foldOf = readFolds();
const python = await pythonPackages('langchain', packages);
const model = await miniLmFolder();
const output = mkdtempSync(join(tmpdir(), 'roundhouse-langchain-'));
let isBehind = false;
await withEncoders(async (encoderOf) => {
  const rows = readRows(folder).filter(({ name }) => name === 'English' || name === 'Russian');
  for (const [at, language] of (['en', 'ru'] as const).entries()) {
    const file = join(output, `${language}.json`);
    execFileSync(python, [join(import.meta.dirname, 'langchain.py'), join(folder, language), model, file], {
      stdio: 'inherit',
    });
    const theirs = new Map<string, Piece[]>(Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
    const chunks = await ingestedPassages(join(folder, language));
    for (const row of rows.filter(({ name }) => name === ['English', 'Russian'][at])) {
      const found = await ours(row, chunks, await encoderOf(row.model));
      const mine = figures(row.questions, found);
      const other = figures(row.questions, theirs);
      console.log(
        `\n${row.name}: ${row.questions.length} questions, ${chunks.length} chunks; characters per piece: ${meanLength(found)}, LangChain ${meanLength(theirs)}`,
      );
      for (const [which, name] of ['answer within the best six', 'R@1', 'MRR'].entries()) {
        const [own = 0, his = 0] = [mine[which], other[which]];
        console.log(`  ${name.padEnd(28)} ${row.model} ${percent(own)}   LangChain ${percent(his)}`);
        if (own <= his) isBehind = true;
      }
    }
  }
});
rmSync(output, { recursive: true });
process.exitCode = isBehind ? 1 : 0;
