import { z } from 'zod';
import { BadRequest } from '../../contracts/problems.ts';

/** A question with what is known about its right answer. */
export interface EvaluationQuestion {
  question: string;
  /** Null: the documents do not contain the answer, and the bot should say so. Undefined: not known. */
  answer?: string | null | undefined;
  /** Name of the document that has the answer. */
  document?: string | undefined;
  page?: number | undefined;
  /** Pieces of text that answer it together. */
  spans?: string[] | undefined;
}

/** Other fields, such as the offsets of published question sets, are not needed. */
const Line = z.looseObject({
  question: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
  answer: z.string().nullish(),
  document: z.string().nullish(),
  page: z.int().min(1).nullish(),
  spans: z.array(z.looseObject({ text: z.string() })).nullish(),
});

const mostListed = 10;

/** Reads one question per line. Throws a `BadRequest` that names the lines that can't be read. */
export function readQuestions(text: string): EvaluationQuestion[] {
  const wrong: string[] = [];
  const found = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line, index) => {
      if (line.trim() === '') return [];
      const read = readLine(line);
      if (typeof read !== 'string') return [read];
      wrong.push(`line ${index + 1}: ${read}`);
      return [];
    });
  if (wrong.length > 0) {
    const more = wrong.length > mostListed ? `; and ${wrong.length - mostListed} more` : '';
    throw new BadRequest(wrong.slice(0, mostListed).join('; ') + more);
  }
  if (found.length === 0) throw new BadRequest('there are no questions');
  return found;
}

function readLine(line: string): EvaluationQuestion | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  const parsed = Line.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'is not a question'}`;
  }
  const { question, answer, document, page, spans } = parsed.data;
  return {
    question,
    answer,
    document: document ?? undefined,
    page: page ?? undefined,
    spans: spans && spans.length > 0 ? spans.map((span) => span.text) : undefined,
  };
}
