import { describe, expect, it } from 'vitest';
import { tableDraft } from '../drafts/table-draft.ts';
import type { DocumentElement, ElementKind } from '../element.ts';
import { chunkElements } from './chunk-elements.ts';
import { chunkingProblem } from './chunking-options.ts';
import { splitText } from './split-text.ts';

const documentOf = (...parts: [ElementKind, string, Partial<DocumentElement>?][]): DocumentElement[] =>
  parts.map(([kind, text, more], index) => ({ kind, text, index, regions: [], ...more }));

const table = (rows: string[][], headerRows = 1, index = 0): DocumentElement => {
  const draft = tableDraft(
    rows.map((row) => row.map((text) => ({ text }))),
    headerRows,
  );
  if (!draft) throw new Error('an empty table');
  return { ...draft, index, regions: [] };
};

const textsOf = (elements: DocumentElement[], options: Parameters<typeof chunkElements>[1]) =>
  [...chunkElements(elements, options)].map(({ text }) => text);

describe('chunkElements', () => {
  it('basic: fills chunks, and joins elements by a blank line', () => {
    const elements = documentOf(
      ['Title', 'Intro'],
      ['NarrativeText', 'a'.repeat(40)],
      ['NarrativeText', 'b'.repeat(60)],
    );
    expect(textsOf(elements, { strategy: 'basic', maxCharacters: 100 })).toEqual([
      `Intro\n\n${'a'.repeat(40)}`,
      'b'.repeat(60),
    ]);
    expect(textsOf(elements, { strategy: 'basic', maxCharacters: 109 })).toHaveLength(1);
    expect(textsOf(elements, { strategy: 'basic', newAfterCharacters: 0 })).toHaveLength(3);
  });

  it('by_title: a title begins a chunk, unless the section before is small', () => {
    const elements = documentOf(
      ['Title', 'One'],
      ['NarrativeText', 'x'.repeat(50)],
      ['Title', 'Two', { depth: 1 }],
      ['NarrativeText', 'y', { page: 3 }],
    );
    const options = { strategy: 'by_title', combineUnderCharacters: 20 } as const;
    const chunks = [...chunkElements(elements, options)];
    expect(chunks.map(({ text }) => text)).toEqual([`One\n\n${'x'.repeat(50)}`, 'Two\n\ny']);
    expect(chunks.map(({ headings }) => headings)).toEqual([['One'], ['One', 'Two']]);
    expect(chunks[1]).toMatchObject({ pages: [3], elements: [{ index: 2 }, { index: 3 }] });
    expect(textsOf(elements, { strategy: 'by_title' })).toHaveLength(1);
  });

  it('by_title: a new page begins a chunk where sections may not go on', () => {
    const elements = documentOf(['NarrativeText', 'a', { page: 1 }], ['NarrativeText', 'b', { page: 2 }]);
    const options = { strategy: 'by_title', multipageSections: false, combineUnderCharacters: 0 } as const;
    expect(textsOf(elements, options)).toEqual(['a', 'b']);
  });

  it('repeats the end of a chunk in the next with overlap_all', () => {
    const elements = documentOf(['NarrativeText', 'first one here'], ['NarrativeText', 'second']);
    const options = { strategy: 'basic', maxCharacters: 16, overlap: 8, overlapAll: true } as const;
    expect(textsOf(elements, options)).toEqual(['first one here', 'one here\n\nsecond']);
  });

  it('keeps a table alone, and splits a long one by rows with its header', () => {
    const rows = [
      ['Name', 'Value'],
      ...Array.from({ length: 30 }, (_, index) => [`name ${index}`, `value ${index}`]),
    ];
    const long = table(rows, 1, 1);
    const chunks = [
      ...chunkElements([...documentOf(['Title', 'T']), long], { strategy: 'basic', maxCharacters: 100 }),
    ];
    expect(chunks[0]).toMatchObject({ kind: 'CompositeElement', text: 'T' });
    const parts = chunks.slice(1);
    expect(parts.every(({ kind, text }) => kind === 'TableChunk' && text.length <= 100)).toBe(true);
    expect(parts.every(({ text }) => text.startsWith('Name Value '))).toBe(true);
    expect(parts[1]?.html).toMatch(
      /^<table><thead><tr><th>Name<\/th><th>Value<\/th><\/tr><\/thead><tr><td>name \d/,
    );
    expect(parts.map(({ isContinuation }) => isContinuation)).toEqual([
      false,
      ...Array(parts.length - 1).fill(true),
    ]);
    expect(parts.map(({ repeatedRows }) => repeatedRows)).toEqual([0, ...Array(parts.length - 1).fill(1)]);
    const numbers = parts.flatMap(({ text }) =>
      [...text.matchAll(/value (\d+)/g)].map((match) => Number(match[1])),
    );
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index));
  });

  it('splits a row between cells, and a cell between words', () => {
    const words = Array.from({ length: 100 }, (_, index) => `слово${index}`).join(' ');
    const chunks = [...chunkElements([table([['a', words]], 0)], { strategy: 'basic', maxCharacters: 120 })];
    expect(chunks.every(({ text }) => text.length <= 120)).toBe(true);
    expect(chunks.map(({ text }) => text).join(' ')).toBe(`a ${words}`);
  });

  it('keeps rows together that a merged cell binds', () => {
    const draft = tableDraft([
      [{ text: 'group', rowSpan: 2 }, { text: 'x'.repeat(40) }],
      [{ text: 'y'.repeat(40) }],
      [{ text: 'last' }, { text: 'z'.repeat(40) }],
    ]);
    const element = { ...draft, index: 0, regions: [] } as DocumentElement;
    const [first, second] = chunkElements([element], { strategy: 'basic', maxCharacters: 100 });
    expect(first?.html).toContain('rowspan="2"');
    expect(second?.text).toBe(`last ${'z'.repeat(40)}`);
  });

  it('says what is wrong with options as Unstructured does', () => {
    expect(chunkingProblem({ strategy: 'basic', overlap: 500 })).toBe(
      "'overlap' argument must be less than `max_characters`, got 500 >= 500",
    );
    expect(
      chunkingProblem({ strategy: 'by_title', maxCharacters: 100, combineUnderCharacters: 101 }),
    ).toContain('must not exceed');
    expect(chunkingProblem({ strategy: 'basic' })).toBeUndefined();
  });
});

describe('splitText', () => {
  it('splits at a line end, then at a space, then anywhere', () => {
    expect([...splitText('one two\nthree four', { most: 12, overlap: 0 })]).toEqual([
      'one two',
      'three four',
    ]);
    expect([...splitText('one two three', { most: 8, overlap: 0 })]).toEqual(['one two', 'three']);
    expect([...splitText('abcdefgh', { most: 3, overlap: 0 })]).toEqual(['abc', 'def', 'gh']);
  });

  it('overlaps by at most so many characters', () => {
    expect([...splitText('aaaa bbbb cccc dddd', { most: 10, overlap: 5 })]).toEqual([
      'aaaa bbbb',
      'bbbb cccc',
      'cccc dddd',
    ]);
  });

  it('never cuts a character of two units', () => {
    for (const overlap of [0, 1, 2, 3]) {
      const parts = [...splitText('😀'.repeat(50), { most: 7, overlap })];
      expect(parts.every((part) => part.isWellFormed() && part.length <= 7)).toBe(true);
    }
    expect([...splitText('😀😀', { most: 1, overlap: 0 })]).toEqual(['😀', '😀']);
  });

  it('prefers the end of a sentence if asked', () => {
    const text = 'Первое предложение, ул. Мира. Второе начинается здесь и продолжается.';
    expect([...splitText(text, { most: 45, overlap: 0, sentences: true })][0]).toBe(
      'Первое предложение, ул. Мира.',
    );
  });
});
