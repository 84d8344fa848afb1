const bullets = new Set([...'•◦▪▫●○■□‣⁃∙·–—−-*✓✔➢➤►▶→o§☐☑☒', '\uf0b7', '\uf0a7', '\uf0d8', '\uf02d']);
/** 1. 1) (1) 1.2. a) (a) а) iv. [1] */
const ordered =
  /^(?:\(?\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3}){1,3}[.)]|\(?[a-zа-яё][.)]|\(?[ivxlc]{1,6}[.)]|\[\d{1,3}\])$/iu;

export interface ListMarker {
  text: string;
  ordered: boolean;
}

/** The marker that a line begins with, if its first word is one. */
export function listMarker(word: string): ListMarker | undefined {
  if (bullets.has(word)) return { text: word, ordered: false };
  return ordered.test(word) ? { text: word, ordered: true } : undefined;
}

/** Characters of the private area by which Word writes its bullets. */
export const shownMarker = (marker: string): string => marker.replace(/[\uf000-\uf0ff]/u, '•');

/** Whether `next` counts on from `previous`: 2. after 1., b) after a). */
export function follows(previous: string, next: string): boolean {
  const [a, b] = [core(previous), core(next)];
  if (shape(previous) !== shape(next)) return false;
  const [first, second] = [Number(a), Number(b)];
  if (Number.isInteger(first) && Number.isInteger(second)) return second === first + 1;
  return a.length === 1 && b.length === 1 && (b.codePointAt(0) ?? 0) - (a.codePointAt(0) ?? 0) === 1;
}

const core = (marker: string) => marker.replace(/[()[\]]/g, '').replace(/\.$/, '');
const shape = (marker: string) =>
  marker
    .replace(/\d+/g, '1')
    .replace(/[a-z]+/gi, 'a')
    .replace(/[а-яё]+/gi, 'я');
