import { escapeHtml } from '../../greeting/sanitize-html.ts';
import { type Asking, askModel, outlinePrompt } from './ask-model.ts';
import type { BotOutline } from './bot-outline.ts';
import { isWrittenIn } from './example-questions.ts';

const titlesNamed = 3;

/** A bot's greeting as HTML: from a model that follows instructions, or else from the titles of its documents. */
export async function makeGreeting(
  asking: Asking | undefined,
  outline: BotOutline,
  signal: AbortSignal,
): Promise<string> {
  const task =
    outline.language === 'rus'
      ? 'Напиши приветствие помощника, который отвечает на вопросы по этим документам: одно или два предложения, без разметки и без вопросов.'
      : 'Write the greeting of an assistant that answers questions about these documents: one or two sentences, no markup, no questions.';
  const answer = await askModel(asking, `${outlinePrompt(outline)}\n\n${task}`, signal);
  const written = answer === undefined ? undefined : readGreeting(answer, outline.language);
  return `<p>${escapeHtml(written ?? greetingFromTitles(outline))}</p>`;
}

/** A model's greeting; undefined if it is anything but one or two plain sentences in the right language. */
export function readGreeting(answer: string, language: string): string | undefined {
  const text = answer.replace(/^["«“]+|["»”]+$/gu, '').trim();
  const isPlain = !/[\n<>{}[\]*#`|]|https?:/.test(text);
  return isPlain && text.length >= 15 && text.length <= 400 && isWrittenIn(text, language) ? text : undefined;
}

export function greetingFromTitles({ documents, count, language }: BotOutline): string {
  const isRussian = language === 'rus';
  const titles = [...new Set(documents.map(({ title }) => title))].slice(0, titlesNamed);
  if (titles.length === 0) return isRussian ? 'Здравствуйте!' : 'Hello!';
  const named = titles.map((title) => (isRussian ? `«${title}»` : `“${title}”`)).join(', ');
  const more = count - titles.length;
  if (isRussian) {
    return `Здравствуйте! Я отвечаю на вопросы по документам: ${named}${more > 0 ? ` и ещё ${more}` : ''}.`;
  }
  return `Hello! I answer questions about these documents: ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}
