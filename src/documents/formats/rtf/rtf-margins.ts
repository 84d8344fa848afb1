import type { Draft } from '../../drafts/draft.ts';
import { RichText } from '../../drafts/rich-text.ts';
import { isPageNumber } from '../../text/classify-text.ts';
import type { Destination } from './rtf-state.ts';

export type Margin = Extract<Destination, 'header' | 'footer' | 'footnote'>;

export const isMargin = (destination: Destination): destination is Margin =>
  destination === 'header' || destination === 'footer' || destination === 'footnote';

/** Collects headers and footers, each text once, and footnotes. */
export class RtfMargins {
  readonly #texts: Record<Margin, RichText> = {
    header: new RichText(),
    footer: new RichText(),
    footnote: new RichText(),
  };
  readonly #running = new Map<string, Draft['kind']>();
  readonly #notes: Draft[] = [];

  textOf(margin: Margin): RichText {
    return this.#texts[margin];
  }

  end(margin: Margin): void {
    const { text } = this.#texts[margin].take();
    if (text === '') return;
    if (margin === 'footnote') this.#notes.push({ kind: 'NarrativeText', text });
    else if (!this.#running.has(text)) {
      const kind = margin === 'header' ? 'Header' : 'Footer';
      this.#running.set(text, isPageNumber(text) ? 'PageNumber' : kind);
    }
  }

  /** The body between the headers above and what stands below. */
  around(body: readonly Draft[]): Draft[] {
    const running = [...this.#running].map(([text, kind]): Draft => ({ kind, text }));
    const headers = running.filter(({ kind }) => kind === 'Header');
    return [...headers, ...body, ...this.#notes, ...running.filter(({ kind }) => kind !== 'Header')];
  }
}
