import { join } from 'node:path';
import type { CachedEncoder } from './encoder.ts';
import { openEncoder } from './encoder.ts';
import { type EvaluationPassage, type EvaluationQuestion, readEvaluationSet } from './evaluation-set.ts';

/** What is measured: questions over passages, with one embeddings model. */
export interface EvaluationRow {
  name: string;
  model: string;
  questionLanguage: string;
  passageLanguage: string;
  passages: EvaluationPassage[];
  questions: EvaluationQuestion[];
}

export const models = ['universal-sentence-encoder-multilingual', 'all-minilm-l6-v2', 'e5-small-v2'] as const;
const multilingual = models[0];

/** ISO 639-3. The names are those of the catalog. */
export const knownLanguages = (model: string): readonly string[] | null =>
  model === multilingual ? null : ['eng'];

export function readRows(folder: string): EvaluationRow[] {
  const english = readEvaluationSet(join(folder, 'en'));
  const russian = readEvaluationSet(join(folder, 'ru'));
  const translated = new Set(russian.questions.map(({ document }) => document));
  const inEnglish = new Map(english.questions.map((question) => [question.id, question]));
  const crossing = russian.questions.flatMap((question) => {
    const original = inEnglish.get(question.id);
    return original ? [{ ...question, relevant: original.relevant }] : [];
  });
  const row = (
    name: string,
    model: string,
    languages: [string, string],
    set: Pick<EvaluationRow, 'passages' | 'questions'>,
  ) => ({
    name,
    model,
    questionLanguage: languages[0],
    passageLanguage: languages[1],
    ...set,
  });
  const sameArticles = english.passages.filter(({ document }) => translated.has(document));
  return [
    ...models.map((model) => row('English', model, ['eng', 'eng'], english)),
    row('Russian', multilingual, ['rus', 'rus'], russian),
    row('Russian, model knows English only', models[1], ['rus', 'rus'], russian),
    row('Russian → English', multilingual, ['rus', 'eng'], { passages: sameArticles, questions: crossing }),
    row('Russian → all English', multilingual, ['rus', 'eng'], {
      passages: english.passages,
      questions: crossing,
    }),
  ];
}

export async function withEncoders<Result>(
  work: (encoder: (model: string) => Promise<CachedEncoder>) => Promise<Result>,
): Promise<Result> {
  const open = new Map<string, CachedEncoder>();
  try {
    return await work(async (model) => {
      const encoder = open.get(model) ?? (await openEncoder(model));
      open.set(model, encoder);
      return encoder;
    });
  } finally {
    for (const encoder of open.values()) await encoder.close();
  }
}
