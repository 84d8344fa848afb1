import type { Citation } from '../../contracts/document-index/questions.ts';

const headings = { english: 'Sources:', russian: 'Источники:' };
const block = /\n\n(?:Sources|Источники):\n(?:\[\d+\] [^\n]*(?:\n|$))+\s*$/;

/** The cited documents below an answer, for clients that show only its text. Empty without citations. */
export function sourceList(answer: string, citations: readonly Citation[]): string {
  if (citations.length === 0) return '';
  const isRussian = /\p{Script=Cyrillic}/u.test(answer);
  const page = isRussian ? 'с.' : 'p.';
  const lines = citations.map(({ title, page: number, uri }, index) => {
    const place = number === null ? '' : `, ${page} ${number}`;
    return `[${index + 1}] ${oneLine(title)}${place}${uri === '' ? '' : `: ${oneLine(uri)}`}`;
  });
  return `\n\n${isRussian ? headings.russian : headings.english}\n${lines.join('\n')}`;
}

/** Clients send answers back as history; the list of sources is no part of the conversation. */
export const withoutSources = (answer: string): string => answer.replace(block, '');

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
