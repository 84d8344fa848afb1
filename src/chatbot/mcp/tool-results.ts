import type { Answer } from '../../contracts/document-index/questions.ts';
import type { BotDocument, Found } from '../../contracts/retrieval.ts';
import { countOf } from '../../platform/count-of.ts';
import type { BotProfile } from '../bots.ts';
import { sourceList } from '../openai/source-list.ts';
import { documentAddress } from './document-resource.ts';

const text = (words: string) => ({ type: 'text' as const, text: words });

/** The answer with its sources as text, and with everything about them as data. */
export function answerResult({ answer, documents, relevant_questions }: Answer) {
  const citations = documents.map(({ title, uri, page, quote, score }, index) => ({
    number: index + 1,
    title,
    uri,
    page,
    quote,
    score,
  }));
  return {
    content: [text(answer + sourceList(answer, documents))],
    structuredContent: { answer, citations, relevant_questions },
  };
}

export function passagesResult(bot: string, { passages, answerable, confidence }: Found) {
  const found = passages.map(({ document, page, headings, markdown, score }) => ({
    document: document.name,
    title: document.title,
    uri: document.uri,
    resource: documentAddress(bot, document.name),
    page,
    headings,
    text: markdown,
    score,
  }));
  const blocks = found.map(({ title, page, headings, text: words }, index) => {
    const place = [title, ...headings, ...(page === null ? [] : [`p. ${page}`])].join(' › ');
    return `[${index + 1}] ${place}\n${words}`;
  });
  const note = answerable
    ? ''
    : 'Nothing in the documents seems to answer this; these passages come nearest.\n\n';
  return {
    content: [text(blocks.length === 0 ? 'No passages were found.' : note + blocks.join('\n\n'))],
    structuredContent: { passages: found, answerable, confidence },
  };
}

export function documentsResult(bot: string, documents: readonly BotDocument[]) {
  const listed = documents.map(({ name, title, uri, type, pages }) => ({
    name,
    title,
    uri,
    type,
    pages,
    resource: documentAddress(bot, name),
  }));
  const lines = listed.map(({ name, pages }) =>
    pages === null ? name : `${name} (${countOf(pages, 'page')})`,
  );
  return {
    content: [text(lines.length === 0 ? 'This bot has no documents.' : lines.join('\n'))],
    structuredContent: { documents: listed },
  };
}

export function botsResult(bots: readonly BotProfile[]) {
  const listed = bots.map(({ name, user_story, example_questions, ready, problem, languages }) => ({
    name,
    about: user_story,
    example_questions,
    ready,
    problem,
    languages,
  }));
  const lines = listed.map(({ name, about, ready, problem }) =>
    [name, ready ? '' : `(${problem ?? 'its documents are being indexed'})`, about]
      .filter((part) => part !== '')
      .join(' – '),
  );
  return {
    content: [text(lines.length === 0 ? 'There are no bots that can be used.' : lines.join('\n'))],
    structuredContent: { bots: listed },
  };
}
