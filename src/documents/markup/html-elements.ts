const set = (words: string) => new Set(words.split(' '));

/** Elements that show nothing, or nothing that can be printed. */
export const skippedElements = set(
  'script style title template noscript head select datalist button textarea svg iframe object #comment',
);

/** Elements that stand on lines of their own. */
export const blockElements = set(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre section summary table ul caption math tr td tbody',
);

/** How elements within a line are emphasised. */
export const emphasisElements: readonly [
  name: string,
  style: { bold?: true; italic?: true; underline?: true },
][] = [
  ['b', { bold: true }],
  ['strong', { bold: true }],
  ['i', { italic: true }],
  ['em', { italic: true }],
  ['cite', { italic: true }],
  ['u', { underline: true }],
  ['ins', { underline: true }],
];
