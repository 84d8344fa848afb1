import type { Citation } from '../../contracts/document-index/questions.ts';
import type { Passage } from '../../contracts/retrieval.ts';
import { sentences as sentencesOf } from '../../documents/text/sentences.ts';
import { CitationList } from './citation.ts';
import { findQuote, numbersStand } from './find-quote.ts';
import { type Quotable, quotables } from './sentences.ts';

export interface CitedAnswer {
  text: string;
  citations: Citation[];
}

/** Finds the sentence of a passage in another language that means the same as a claim; undefined where none does. */
export type FindTranslated = (claim: string, sentences: readonly Quotable[]) => Promise<Quotable | undefined>;

/** `[1]`, `[1, 2]`, `[1][2]`, `【1】`, `[^1]`: how models cite. */
const markers = /\s*(?:\[\^?\d[\d,;\s^]{0,40}\]|【\d[^】]{0,40}】)/gu;

/**
 * Checks the citations of a model's answer: each claim is matched against the sentences of the passages that it cites,
 * or of all where it cites none that fits. Markers that nothing supports are removed, and the rest are numbered anew.
 */
export async function citeAnswer(
  answer: string,
  passages: readonly Passage[],
  findTranslated?: FindTranslated,
): Promise<CitedAnswer> {
  const list = new CitationList();
  const quotable = new Map(passages.map((passage) => [passage, quotables(passage)]));
  const all = [...quotable.values()].flat();
  let text = '';
  for (const piece of claims(answer.replaceAll(checked, ''))) {
    const plain = piece.replaceAll(markers, '');
    const named = passageNumbers(piece)
      .map((number) => passages[number - 1])
      .filter((passage) => passage !== undefined);
    const quotes: Quotable[] = [];
    for (const passage of new Set(named)) {
      const own = quotable.get(passage) ?? [];
      const found =
        findQuote(plain, own, true)?.sentence ??
        (numbersStand(plain, passage) ? await findTranslated?.(plain, own) : undefined);
      if (found) quotes.push(found);
    }
    const other = quotes.length === 0 ? findQuote(plain, all, false)?.sentence : undefined;
    if (other) quotes.push(other);
    text += withMarkers(plain, [...new Set(quotes.map((quote) => list.numberOf(quote)))]);
  }
  return { text: numbered(text).trim(), citations: list.citations };
}

/** Sentences, each with the markers after it. */
function claims(answer: string): string[] {
  const found: string[] = [];
  for (const piece of sentencesOf(answer)) {
    const lead = /^(?:\s*(?:\[\^?\d[\d,;\s^]{0,40}\]|【\d[^】]{0,40}】))+[.!?…]?/u.exec(piece)?.[0] ?? '';
    const last = found.length - 1;
    if (lead === '' || last < 0) {
      found.push(piece);
      continue;
    }
    // Models write the marker after the full stop as often as before it.
    const before = found[last] as string;
    found[last] = `${before.trimEnd()}${lead}${before.slice(before.trimEnd().length)}`;
    if (piece.length > lead.length) found.push(piece.slice(lead.length));
  }
  return found;
}

const passageNumbers = (piece: string): number[] =>
  [...piece.matchAll(markers)].flatMap(([marker]) => (marker.match(/\d+/g) ?? []).map(Number));

function withMarkers(plain: string, numbers: number[]): string {
  const body = plain.trimEnd();
  if (body === '' || numbers.length === 0) return plain;
  const written = numbers.map((number) => `\u{e000}${number}\u{e001}`).join('');
  return `${body} ${written}${plain.slice(body.length)}`;
}

/** Our own markers, in characters for private use, until all of the model's are gone. */
const checked = /[\u{e000}\u{e001}]/gu;

/** Removes markers that appear where pieces meet, and writes the checked ones. */
function numbered(text: string): string {
  let left = text;
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replaceAll(markers, '');
  }
  return left.replaceAll('\u{e000}', '[').replaceAll('\u{e001}', ']');
}
