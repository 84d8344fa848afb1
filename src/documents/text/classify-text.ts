import type { ElementKind } from '../element.ts';
import { countSentences } from './sentences.ts';

const emailAddress = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/i;
const bullet = /^[•◦▪▫●○■□‣⁃∙·–—*✓✔➢➤►▶\u{f0b7}\u{f0a7}\u{f0d8}-]\s+(?=\S)/u;
const numbered = /^(?:\(?\d{1,3}[.)]|\(?[a-zа-яё][.)]|[ivxlc]{1,6}[.)])\s+(?=\S)/iu;
const pageNumber =
  /^(?:page|стр(?:аница|\.)?|с\.|seite)?\s*[-–—]?\s*\d{1,5}\s*[-–—]?(?:\s*(?:of|из|von|\/)\s*\d{1,5})?$/iu;

/** Text that needs more than this is never a heading, and is not searched for sentences. */
const longestTitle = 250;

export const withoutBullet = (text: string): string => text.replace(bullet, '');
export const isBulleted = (text: string): boolean => bullet.test(text);
export const isNumbered = (text: string): boolean => numbered.test(text);
export const isEmailAddress = (text: string): boolean => text.length <= 320 && emailAddress.test(text.trim());
export const isPageNumber = (text: string): boolean => text.length <= 40 && pageNumber.test(text.trim());

/** The kind of a paragraph of which nothing but its text is known, by Unstructured's rules. */
export function classifyText(text: string, languages: readonly string[] = ['eng']): ElementKind {
  const shown = text.trim();
  if (isBulleted(shown)) return 'ListItem';
  if (isEmailAddress(shown)) return 'EmailAddress';
  if (isNarrative(shown, languages)) return 'NarrativeText';
  return isTitle(shown) ? 'Title' : 'UncategorizedText';
}

/** The kind of a paragraph in a format that marks its headings: it is never taken for a heading. */
export function classifyParagraph(text: string, languages: readonly string[] = []): ElementKind {
  const kind = classifyText(text, languages);
  if (kind !== 'Title') return kind;
  return /[.!?…:;]["»”)]?$/u.test(text.trim()) || words(text).length >= 5
    ? 'NarrativeText'
    : 'UncategorizedText';
}

/** At most 12 words, half of it letters, no final comma, not a number, at most one sentence of five words. */
export function isTitle(text: string): boolean {
  if (text.length === 0 || text.length > longestTitle) return false;
  if (isUpper(text) && /[.!?:;,]$/u.test(text)) return false;
  if (text.split(' ').length > 12) return false;
  if (letterShare(text) < 0.5 || text.endsWith(',') || /^\p{N}+$/u.test(text)) return false;
  return countSentences(text, 5) <= 1;
}

export function isNarrative(text: string, languages: readonly string[]): boolean {
  if (text.length === 0 || /^\p{N}+$/u.test(text)) return false;
  // Counting the sentences of a whole book in one paragraph would take long and change nothing.
  const start = text.slice(0, 4_000);
  const several = countSentences(start, 3) > 1;
  if (!several && capitalised(start)) return false;
  if (letterShare(start) < 0.5) return false;
  if (languages.includes('eng')) return several || hasEnglishVerb(start);
  return several || !isFragment(start);
}

/** A few words that end in no sign: of other languages no verbs are known, and this is what their headings look like. */
const isFragment = (text: string) =>
  !/[.!?…:;,]["»”)]?$/u.test(text) &&
  !/[.!?…]\s/u.test(text) &&
  words(text).length <= 7 &&
  /^[\p{Lu}\p{N}«"]/u.test(text);

/** Whether more than half of the words begin with a capital letter. */
function capitalised(text: string): boolean {
  if (isUpper(text)) return true;
  const found = words(text);
  if (found.length === 0) return true;
  return found.filter((word) => /^\p{Lu}/u.test(word)).length / found.length > 0.5;
}

const words = (text: string): string[] => text.match(/\p{L}+/gu) ?? [];
const isUpper = (text: string): boolean => /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);

function letterShare(text: string): number {
  const all = text.replace(/\s+/gu, '').length;
  return all === 0 ? 0 : text.replace(/\P{L}+/gu, '').length / all;
}

const verbs = new Set(
  (
    'is are was were be been being am has have had do does did can could may might must shall should will would get ' +
    'gets got go goes went make makes made take takes took come comes came see sees saw know knows knew think thinks ' +
    'thought say says said give gives gave find finds found tell tells told become becomes became show shows showed ' +
    'leave leaves left feel feels felt put puts bring brings brought begin begins began keep keeps kept hold holds ' +
    'held write writes wrote stand stands stood hear hears heard let lets mean means meant set sets meet meets met ' +
    'run runs ran pay pays paid sit sits sat speak speaks spoke lie lies lay lead leads led read reads grow grows ' +
    'grew lose loses lost fall falls fell send sends sent build builds built understand draw draws drew break breaks ' +
    'broke spend spends spent cut cuts rise rises rose drive drives drove buy buys bought wear wears wore choose ' +
    'need needs want wants use uses work works seem seems try tries call calls ask asks provide provides include ' +
    'includes continue continues allow allows help helps contain contains describe describes apply applies ' +
    "jump jumps require requires click select open see please isn't aren't don't doesn't can't won't"
  ).split(' '),
);

function hasEnglishVerb(text: string): boolean {
  return (text.toLowerCase().match(/[a-z']+/g) ?? []).some(
    (word) => verbs.has(word) || /^[a-z]{3,}(?:ed|ing|ize|izes|ise|ises)$/.test(word),
  );
}
