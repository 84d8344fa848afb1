import type { Box } from '../../element.ts';
import { shared } from '../../layout/geometry.ts';

interface SeenWord {
  text: string;
  box: Box;
  confidence: number;
}

/** Words that really are in the other script get up to 85 when they are read in the wrong one. */
const sure = 90;

const scripts = [
  { language: 'eng', own: /[a-z]/gi, other: /^[а-яё]{2,}$/i },
  { language: 'rus', own: /[а-яё]/gi, other: /^[a-z]{2,}$/i },
];

/** Words in the script that a line is not written in: OCR in both languages takes "rail" for "гай". */
export function foreignWords<Seen extends SeenWord>(
  line: Seen[],
): { language: string; words: Seen[] } | undefined {
  const text = line.map((word) => word.text).join('');
  for (const { language, own, other } of scripts) {
    const words = line.filter((word) => other.test(word.text));
    const letters = words.reduce((sum, word) => sum + word.text.length, 0);
    if (letters > 0 && (text.match(own)?.length ?? 0) > 3 * letters) return { language, words };
  }
  return undefined;
}

/** Takes words over from a reading in the line's own language where that is surer. */
export function withOwnWords<Seen extends SeenWord>(line: Seen[], words: Seen[], again: Seen[]): Seen[] {
  return line.map((word) => {
    const better = words.includes(word) && again.find((other) => isSamePlace(word.box, other.box));
    return better && better.confidence > Math.max(sure, word.confidence) ? better : word;
  });
}

const isSamePlace = (one: Box, other: Box) =>
  shared(one.left, one.right, other.left, other.right) >
  0.7 * Math.max(one.right - one.left, other.right - other.left);
