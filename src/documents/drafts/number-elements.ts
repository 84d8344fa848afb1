import type { DocumentElement } from '../element.ts';
import { languageDetector } from '../text/detect-language.ts';
import type { Draft, Drafts } from './draft.ts';

export interface NumberingOptions {
  /** Puts a PageBreak between pages. */
  pageBreaks?: boolean;
  /** ISO 639-3 codes that the caller knows; they are then not detected. */
  languages?: string[];
}

/** Gives drafts their index, the title or list item above them, and their languages. */
export async function* numberElements(
  drafts: Drafts,
  options: NumberingOptions = {},
): AsyncGenerator<DocumentElement> {
  const detect = languageDetector();
  const parents = new Parents();
  let index = 0;
  let page: number | undefined;
  for await (const draft of drafts) {
    if (options.pageBreaks && page !== undefined && draft.page !== undefined && draft.page !== page) {
      yield { kind: 'PageBreak', text: '', index: index++, page, regions: [] };
    }
    page = draft.page ?? page;
    const parent = parents.place(draft, index);
    const told = draft.languages ?? options.languages;
    const languages = told ?? (isProse(draft) ? detect(draft.text) : []);
    yield {
      ...draft,
      regions: draft.regions ?? [],
      index: index++,
      ...(parent !== undefined && { parent }),
      ...(languages.length > 0 && { languages }),
    };
  }
}

const isProse = ({ kind }: Draft) => kind !== 'CodeSnippet' && kind !== 'Formula' && kind !== 'EmailAddress';

class Parents {
  #titles: { depth: number; index: number }[] = [];
  #items: { depth: number; index: number }[] = [];

  place(draft: Draft, index: number): number | undefined {
    if (draft.kind === 'Title') {
      const depth = draft.depth ?? 0;
      this.#items = [];
      this.#titles = this.#titles.filter((title) => title.depth < depth);
      const parent = this.#titles.at(-1)?.index;
      this.#titles.push({ depth, index });
      return parent;
    }
    if (draft.kind === 'Header' || draft.kind === 'Footer' || draft.kind === 'PageNumber') return undefined;
    if (draft.kind === 'ListItem') {
      const depth = draft.depth ?? 0;
      this.#items = this.#items.filter((item) => item.depth < depth);
      const parent = this.#items.at(-1)?.index ?? this.#titles.at(-1)?.index;
      this.#items.push({ depth, index });
      return parent;
    }
    this.#items = [];
    return this.#titles.at(-1)?.index;
  }
}
