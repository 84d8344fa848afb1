import type { RunStyle } from '../../drafts/rich-text.ts';

/** Where the text of a group goes. */
export type Destination =
  | 'body'
  | 'skip'
  | 'fonts'
  | 'styles'
  | 'header'
  | 'footer'
  | 'footnote'
  | 'field instruction';

/** What a group inherits from the one around it. */
export interface RtfState extends RunStyle {
  destination: Destination;
  font: number;
  /** How many characters after `\u` stand in for it in old readers. */
  skipAfterUnicode: number;
  hidden: boolean;
}

export interface RtfParagraph {
  style: number;
  heading?: number;
  list: boolean;
  level: number;
  inTable: boolean;
}

export const freshParagraph = (): RtfParagraph => ({ style: 0, list: false, level: 0, inTable: false });

const destinations = new Map<string, Destination>([
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['header', 'header'],
  ['headerl', 'header'],
  ['headerr', 'header'],
  ['headerf', 'header'],
  ['footer', 'footer'],
  ['footerl', 'footer'],
  ['footerr', 'footer'],
  ['footerf', 'footer'],
  ['footnote', 'footnote'],
  ['fldinst', 'field instruction'],
  ...(
    'colortbl info pict object listtable listoverridetable pntext listtext pn generator themedata datastore xmlnstbl ' +
    'latentstyles rsidtbl mmathPr revtbl filetbl nonshppict ftnsep ftnsepc aftnsep aftnsepc atnid atnauthor annotation ' +
    'xe tc bkmkstart bkmkend fontemb pgdsctbl userprops docvar template operator comment company do'
  )
    .split(' ')
    .map((word): [string, Destination] => [word, 'skip']),
]);

export const destinationOf = (word: string): Destination | undefined => destinations.get(word);

/** Words after `\*` whose text is wanted all the same. */
export const isKnownExtension = (word: string): boolean =>
  word === 'fldinst' || word === 'shppict' || word === 'shptxt';

export const specials = new Map([
  ['tab', '\t'],
  ['line', '\n'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['bullet', '•'],
  ['endash', '–'],
  ['emdash', '—'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['~', '\u00a0'],
  ['_', '-'],
  ['\\', '\\'],
  ['{', '{'],
  ['}', '}'],
]);
