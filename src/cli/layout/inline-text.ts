import type { Link } from '../../documents/element.ts';

interface Piece {
  text: string;
  url?: string;
}

/** Splits a text at its links. Links that do not lie where they say, or lead to a script, stay plain text. */
export function linkPieces(text: string, links: readonly Link[] = []): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const link of [...links].sort((a, b) => a.start - b.start)) {
    if (link.text === '' || link.start < at || !text.startsWith(link.text, link.start)) continue;
    if (!isSafe(link.url)) continue;
    if (link.start > at) pieces.push({ text: text.slice(at, link.start) });
    pieces.push({ text: link.text, url: link.url });
    at = link.start + link.text.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

const isSafe = (url: string) => /^(?:https?:|mailto:|tel:|#)/i.test(url);

/** Without control characters: a document must not send commands to the terminal that shows it. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
