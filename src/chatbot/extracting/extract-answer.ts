import type { Citation } from '../../contracts/document-index/questions.ts';
import type { Passage } from '../../contracts/retrieval.ts';
import { CitationList, type Quote } from '../citing/citation.ts';
import { type Quotable, quotables, textOf } from '../citing/sentences.ts';
import { isHeading, namedSection } from './named-section.ts';
import { type Ranked, rankSentences } from './rank-sentences.ts';

export interface ExtractionInput {
  question: string;
  /** The question with what it means in its conversation. */
  standAlone: string;
  language: string;
}

export interface ExtractedAnswer {
  text: string;
  citations: Citation[];
}

/** Improves the order of the best sentences, for example by their meaning. */
export type Reorder = (question: string, ranked: readonly Ranked[]) => Promise<readonly Ranked[]>;

interface Chosen extends Quote {
  row?: string | undefined;
}

const most = 3;
/** Sentences that fit much worse than the best one are left out. */
const enough = 0.72;
const longest = 700;

/** A sentence that begins so can't be understood without the one before. */
const leansOnPrevious =
  /^["«“(]?(?:it|its|this|that|these|those|he|she|they|his|her|their|such|however|therefore|thus|then|but|also|он|она|оно|они|его|ее|её|их|это|этот|эта|эти|такой|такая|такое|такие|данн\p{L}+|однако|поэтому|также|при этом|кроме того|но|тогда|там)(?!\p{L})/iu;

/** Answers with the sentences that fit the question best, word for word. Empty where there are no sentences. */
export async function extractAnswer(
  { question, standAlone, language }: ExtractionInput,
  passages: readonly Passage[],
  reorder?: Reorder,
): Promise<ExtractedAnswer> {
  const chosen = joined(
    namedSection(question, passages) ?? (await bestSentences({ question, standAlone }, passages, reorder)),
  );
  const list = new CitationList();
  const [open, close] = quoteMarks(language);
  const lines = chosen.map((quote) => {
    const shown = quote.row ?? `${open}${readable(textOf(quote))}${close}`;
    return `${shown} [${list.numberOf(quote)}]`;
  });
  return { text: lines.join('\n\n'), citations: list.citations };
}

async function bestSentences(
  { question, standAlone }: Pick<ExtractionInput, 'question' | 'standAlone'>,
  passages: readonly Passage[],
  reorder: Reorder | undefined,
): Promise<Chosen[]> {
  const all = rankSentences(question, standAlone, passages);
  const sentences = all.filter((sentence) => !isHeading(sentence));
  const lexical = sentences.length > 0 ? sentences : all;
  return choose((await reorder?.(standAlone, lexical)) ?? lexical).map(withPrevious);
}

/** The best sentence, and up to two more that say something else. */
function choose(ranked: readonly Ranked[]): Ranked[] {
  const [best] = ranked;
  if (!best) return [];
  const chosen = [best];
  for (const next of ranked.slice(1, 12)) {
    if (chosen.length === most) break;
    if (next.fit < enough * best.fit || next.fit <= 0) break;
    if (next.hits.size > 0 && !chosen.some((other) => isRepetition(next, other))) chosen.push(next);
  }
  return chosen;
}

function isRepetition({ terms }: Quotable, other: Quotable): boolean {
  const known = new Set(other.terms);
  const own = new Set(terms);
  return [...own].filter((term) => known.has(term)).length >= 0.7 * Math.min(own.size, known.size);
}

function withPrevious(sentence: Ranked): Chosen {
  if (!leansOnPrevious.test(textOf(sentence)) || sentence.row !== undefined) return sentence;
  const previous = quotables(sentence.passage)[sentence.position - 1];
  if (previous?.segment !== sentence.segment || sentence.end - previous.start > longest) return sentence;
  return { ...sentence, start: previous.start };
}

/** Sentences that follow each other become one quote. */
function joined(chosen: readonly Chosen[]): Chosen[] {
  const result: Chosen[] = [];
  for (const next of chosen) {
    const at = result.findIndex((other) => touches(other, next));
    const other = result[at];
    if (!other) result.push(next);
    else {
      const start = Math.min(other.start, next.start);
      result[at] = { ...other, start, end: Math.max(other.end, next.end) };
    }
  }
  return result;
}

function touches(one: Chosen, other: Chosen): boolean {
  if (one.segment !== other.segment || one.row !== undefined || other.row !== undefined) return false;
  const [first, second] = one.start <= other.start ? [one, other] : [other, one];
  const length = Math.max(one.end, other.end) - first.start;
  return length <= longest && one.passage.text.slice(first.end, second.start).trim() === '';
}

/** On one line; the quote of the citation keeps the document's own white space. */
const readable = (text: string) => text.replaceAll(/\s+/gu, ' ').trim();

const guillemets = new Set(['rus', 'ukr', 'bel', 'bul', 'kaz', 'fra', 'ita', 'spa', 'por', 'ell']);
const quoteMarks = (language: string) => (guillemets.has(language) ? ['«', '»'] : ['“', '”']);
