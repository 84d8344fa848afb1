/** English words that rarely begin a divided word, but often a compound. */
const compound = new Set('self well non half cross high low long short two three four five'.split(' '));
/** Russian pronouns that take a particle: какой-то, где-нибудь. */
const pronoun =
  /^(?:что|чт[оы]|ч[её]м|чего|чему|кто|кого|кому|кем|как|как[а-я]{2,3}|где|куда|когда|откуда|почему|зачем|сколько)$/;
const particle = /^(?:то|либо|нибудь)$/;
/** по-русски, по-новому; во-первых; из-за, из-под; кое-что */
const prefixed = [
  { before: 'по', after: /(?:ски|цки|ому|ему|ьи)$/ },
  { before: 'во', after: /(?:ых|их)$/ },
  { before: 'из', after: /^(?:за|под)$/ },
  { before: 'кое', after: /./ },
];

const longestWord = 200;

/**
 * Joins two consecutive lines. A hyphen at the end of the first is dropped if it only divides a word: a soft
 * hyphen always does, a hard one if lower-case letters stand on both sides and it is not part of a compound.
 */
export function joinLines(first: string, second: string): string {
  if (first === '') return second;
  // Browsers print a soft hyphen and a visible one after it.
  const soft = /\u00ad[-‐]?$/.exec(first.slice(-2));
  if (soft) return first.slice(0, first.length - soft[0].length) + second;
  // Texts without spaces may be very long, and grow line by line.
  const before = /[-‐]$/.test(first.slice(-1))
    ? /(\p{L}+(?:-\p{L}+)*)[-‐]$/u.exec(first.slice(-longestWord))?.[1]
    : undefined;
  const after = /^\p{L}+/u.exec(second)?.[0];
  if (before === undefined) return `${first} ${second}`;
  if (after === undefined) return first + second;
  return keepsHyphen(before, after, second) ? first + second : first.slice(0, -1) + second;
}

function keepsHyphen(before: string, after: string, second: string): boolean {
  if (before.includes('-') || second.charAt(after.length) === '-') return true;
  if (/^\p{Lu}/u.test(after)) return true;
  // A division leaves at least two letters on either side.
  if (before.length < 2 || after.length < 2) return true;
  const [left, right] = [before.toLowerCase(), after.toLowerCase()];
  if (compound.has(left) && right.length > 3) return true;
  if (pronoun.test(left) && particle.test(right)) return true;
  if (prefixed.some((rule) => rule.before === left && rule.after.test(right))) return true;
  return /^\p{Lu}+$/u.test(before);
}

/** Soft hyphens inside a line are invisible. */
export const withoutSoftHyphens = (text: string): string => text.replace(/\u00ad(?!$)/g, '');
