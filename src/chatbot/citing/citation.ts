import type { Citation } from '../../contracts/document-index/questions.ts';
import { type Quotable, textOf } from './sentences.ts';

/** A quote may be several sentences that follow each other in one segment. */
export type Quote = Pick<Quotable, 'passage' | 'segment' | 'start' | 'end'>;

/** Makes a citation of a quote, whose text, page and place are those of the segment that it stands in. */
export function citationOf(quote: Quote): Citation {
  const { passage, segment } = quote;
  const { title, uri, pageAnchors } = passage.document;
  return {
    title,
    uri: segment.page !== null && pageAnchors ? withPage(uri, segment.page) : uri,
    page: segment.page,
    passage_md: passage.markdown,
    score: passage.score,
    quote: textOf(quote),
    boxes: segment.boxes,
  };
}

const withPage = (uri: string, page: number) => `${uri.replace(/#.*$/s, '')}#page=${page}`;

/** Gives each quote its number, in the order in which they are first cited. */
export class CitationList {
  readonly citations: Citation[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(quote: Quote): number {
    const key = `${quote.passage.id}:${quote.start}:${quote.end}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.citations.push(citationOf(quote));
    this.#numbers.set(key, number);
    return number;
  }
}
