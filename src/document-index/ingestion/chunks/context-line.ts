import type { ChunkDraft } from './chunk-draft.ts';

const longestPart = 120;
const longest = 400;

/**
 * Names the place of a passage: what lies above the document at its source, document, sheet or slide, and headings; for
 * a mail, sender and date. It is searched and embedded with the passage, whose own words often say nothing of what it is
 * about.
 */
export function contextLine(title: string, draft: ChunkDraft, path: readonly string[] = []): string {
  const { headings, ownHeadings, pageName, mail } = draft;
  const above = headings.slice(0, headings.length - ownHeadings);
  const sent = mail ? [...(mail.from ?? []), mail.sentAt?.slice(0, 10)].filter(Boolean).join(', ') : '';
  const parts = [title, sent, pageName ?? '', ...above].map(shorten).filter(Boolean);
  const different = parts.filter((part, index) => parts.indexOf(part) === index);
  const over = path.map(shorten).filter((part) => part !== '' && !different.includes(part));
  const line = () => [...over, ...different].join(' › ');
  while (over.length > 0 && line().length > longest) over.shift();
  // The nearest headings say most, after the title.
  while (different.length > 2 && line().length > longest) different.splice(1, 1);
  return line();
}

function shorten(text: string): string {
  const shown = text.replace(/\s+/gu, ' ').trim();
  if (shown.length <= longestPart) return shown;
  // Without half of a character of two units.
  return `${shown
    .slice(0, longestPart - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
