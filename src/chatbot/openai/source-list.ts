import type { Citation } from '../../contracts/document-index/questions.ts';

const headings = { english: 'Sources:', russian: 'Источники:' };
const block = /\n\n(?:Sources|Источники):\n(?:\[\d+\] [^\n]*(?:\n|$))+\s*$/;

/**
 * The cited documents below an answer, for clients that show only its text. Empty without citations. Files of the bot
 * are named: a path of the platform, which takes a key, leads nowhere from a conversation.
 */
export function sourceList(answer: string, citations: readonly Citation[]): string {
  if (citations.length === 0) return '';
  const isRussian = /\p{Script=Cyrillic}/u.test(answer);
  const page = isRussian ? 'с.' : 'p.';
  const lines = citations.map(({ title, page: number, uri }, index) => {
    const place = number === null ? '' : `, ${page} ${number}`;
    return `[${index + 1}] ${oneLine(title)}${place}${origin(title, uri)}`;
  });
  return `\n\n${isRussian ? headings.russian : headings.english}\n${lines.join('\n')}`;
}

/** Clients send answers back as history; the list of sources is no part of the conversation. */
export const withoutSources = (answer: string): string => answer.replace(block, '');

function origin(title: string, uri: string): string {
  const file = /^\/documents\/(?:[^?#]*\/)?([^/?#]+)/.exec(uri)?.[1];
  if (file === undefined) return uri === '' ? '' : `: ${oneLine(uri)}`;
  const name = oneLine(decodeURIComponent(file));
  return name === oneLine(title) ? '' : ` (${name})`;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
