import { z } from 'zod';
import { type Asking, askModel, outlinePrompt } from './ask-model.ts';
import type { BotOutline } from './bot-outline.ts';
import { tidyHeading } from './tidy-heading.ts';

const wanted = 5;
const fewest = 3;

/** Questions that the documents answer: from a model that follows instructions, or else from their headings. */
export async function makeExampleQuestions(
  asking: Asking | undefined,
  outline: BotOutline,
  signal: AbortSignal,
): Promise<string[]> {
  if (outline.documents.length === 0) return [];
  const task =
    outline.language === 'rus'
      ? `Составь ${wanted} коротких вопросов, на которые отвечают эти документы и которые задали бы их читатели. Верни только массив JSON из ${wanted} строк.`
      : `Write ${wanted} short questions that these documents answer and that their readers would ask. Return only a JSON array of ${wanted} strings.`;
  const answer = await askModel(asking, `${outlinePrompt(outline)}\n\n${task}`, signal);
  const written = answer === undefined ? [] : readQuestions(answer, outline.language);
  return written.length >= fewest ? written : questionsFromHeadings(outline);
}

const Questions = z.array(z.string());

/** The questions in a model's answer; none unless it is a list of proper questions in the right language. */
export function readQuestions(answer: string, language: string): string[] {
  const json = /\[[\s\S]*\]/.exec(answer)?.[0] ?? '';
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return [];
  }
  const { data = [] } = Questions.safeParse(parsed);
  const tidy = data.map((text) => text.replace(/\s+/gu, ' ').trim());
  const proper = tidy.filter(
    (text) => text.length >= 10 && text.length <= 200 && text.endsWith('?') && isWrittenIn(text, language),
  );
  return [...new Set(proper)].slice(0, wanted);
}

export function isWrittenIn(text: string, language: string): boolean {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (language === 'rus') return cyrillic > latin;
  return language === 'eng' ? latin > cyrillic : true;
}

/**
 * Questions in the language of each document. Headings are quoted, since they can't be put into a sentence without
 * knowing their grammar.
 */
export function questionsFromHeadings({ documents, language, count }: BotOutline): string[] {
  const questions: string[] = [];
  const seen = new Set<string>();
  const add = (subject: string, question: string) => {
    if (questions.length < wanted && !seen.has(subject.toLowerCase())) questions.push(question);
    seen.add(subject.toLowerCase());
  };
  const outlined = documents.map(({ title, headings, language: own = language }) => ({
    title,
    isRussian: own === 'rus',
    headings: headings.flatMap((heading) => (heading === title ? [] : (tidyHeading(heading) ?? []))),
  }));
  // One heading per document in turn, so that the questions show what all of them are about.
  for (let round = 0; round < 10 && questions.length < wanted; round++) {
    for (const { title, isRussian, headings } of outlined) {
      const heading = headings[round];
      if (heading === undefined) continue;
      if (heading.endsWith('?')) add(heading, heading);
      else if (isRussian)
        add(heading, `Что сказано в разделе «${heading}»${count > 1 ? ` документа «${title}»` : ''}?`);
      else add(heading, `What does the section “${heading}”${count > 1 ? ` of “${title}”` : ''} say?`);
    }
  }
  for (const { title, isRussian } of outlined) {
    if (questions.length >= fewest) break;
    add(title, isRussian ? `О чём документ «${title}»?` : `What is “${title}” about?`);
  }
  return questions;
}
