import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A passage of an evaluation document. Offsets count Unicode code points. */
export interface EvaluationPassage {
  id: number;
  document: string;
  start: number;
  end: number;
  text: string;
  /** Where it stands in the document; the title by default. */
  context?: string;
}

export interface EvaluationQuestion {
  id: string;
  question: string;
  document: string;
  /** What a right passage contains at least one of. */
  spans: { start: number; end: number }[];
  /** Ids of the passages that answer it. */
  relevant: Set<number>;
}

export interface EvaluationSet {
  passages: EvaluationPassage[];
  questions: EvaluationQuestion[];
}

interface QuestionLine {
  id: string;
  question: string;
  document: string;
  answer?: string;
  answer_start?: number;
  passage_start?: number;
  passage_end?: number;
  spans?: { start: number; end: number }[];
}

/** Documents whose questions name no paragraphs are cut into passages of about this many characters. */
const passageSize = 1_000;

/** Reads `documents/` and `questions.jsonl` of a folder: paragraphs as its questions name them, or packed ones. */
export function readEvaluationSet(folder: string): EvaluationSet {
  const lines = readFileSync(join(folder, 'questions.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as QuestionLine);
  const passages: EvaluationPassage[] = [];
  for (const document of readdirSync(join(folder, 'documents')).sort()) {
    const characters = [...readFileSync(join(folder, 'documents', document), 'utf8')];
    const named = lines.filter((line) => line.document === document && line.passage_end !== undefined);
    for (const [start, end] of named.length > 0 ? paragraphs(named) : packed(characters)) {
      const text = characters.slice(start, end).join('');
      passages.push({ id: passages.length + 1, document, start, end, text });
    }
  }
  return { passages, questions: lines.map((line) => readQuestion(line, passages)) };
}

function paragraphs(lines: QuestionLine[]): [number, number][] {
  const ranges = new Map(lines.map((line) => [line.passage_start ?? 0, line.passage_end ?? 0]));
  return [...ranges].sort((a, b) => a[0] - b[0]);
}

/** Paragraphs, joined as long as they fit. */
function packed(characters: string[]): [number, number][] {
  const ranges: [number, number][] = [];
  let start = 0;
  while (start < characters.length) {
    const end = characters.indexOf('\n', start);
    const stop = end === -1 ? characters.length : end + 1;
    const last = ranges.at(-1);
    if (last && stop - last[0] <= passageSize) last[1] = stop;
    else ranges.push([start, stop]);
    start = stop;
  }
  return ranges;
}

function readQuestion(line: QuestionLine, passages: EvaluationPassage[]): EvaluationQuestion {
  const { id, question, document, answer = '', answer_start: start = 0 } = line;
  const spans = line.spans ?? [{ start, end: start + [...answer].length }];
  const relevant = passages.filter(
    (passage) =>
      passage.document === document &&
      (line.passage_end === undefined
        ? spans.some((span) => shared(passage, span) * 2 >= span.end - span.start)
        : passage.start === line.passage_start),
  );
  return { id, question, document, spans, relevant: new Set(relevant.map((passage) => passage.id)) };
}

export function shared(a: { start: number; end: number }, b: { start: number; end: number }): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));
}
