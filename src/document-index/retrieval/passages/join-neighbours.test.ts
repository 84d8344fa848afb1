import { describe, expect, test } from 'vitest';
import { joinNeighbours, joinTexts } from './join-neighbours.ts';
import type { FoundChunk } from './passages-store.ts';

const chunk = (version: number, position: number, text = `text ${position}`): FoundChunk => ({
  id: 100 * version + position,
  version,
  position,
  text,
  context: '',
  headings: [],
  markdown: null,
  page: position + 1,
  segments: [{ start: 0, end: text.length, page: position + 1, boxes: [] }],
  language: 'eng',
  document: { name: `${version}.txt`, title: null, url: null, type: null, source_json: null, pages: null },
});
const positions = (ranked: [FoundChunk, number][], limit: number) =>
  joinNeighbours(
    ranked.map(([found, score]) => ({ chunk: found, score })),
    limit,
  ).map(({ chunks, score }) => [chunks.map(({ chunk: { id } }) => id), score]);

describe('joinNeighbours', () => {
  test('joins chunks that follow each other, also when the one between them comes last', () => {
    const ranked: [FoundChunk, number][] = [
      [chunk(1, 4), 0.9],
      [chunk(1, 6), 0.8],
      [chunk(2, 5), 0.7],
      [chunk(1, 5), 0.6],
    ];
    expect(positions(ranked, 5)).toEqual([
      [[104, 105, 106], 0.9],
      [[205], 0.7],
    ]);
  });

  test('returns no more passages than asked for; a neighbour still joins', () => {
    const ranked: [FoundChunk, number][] = [
      [chunk(1, 1), 0.9],
      [chunk(1, 9), 0.8],
      [chunk(1, 2), 0.7],
    ];
    expect(positions(ranked, 1)).toEqual([[[101, 102], 0.9]]);
  });

  test('a neighbour that fits much worse stays apart', () => {
    const ranked: [FoundChunk, number][] = [
      [chunk(1, 1), 0.9],
      [chunk(1, 2), 0.3],
    ];
    expect(positions(ranked, 5)).toEqual([
      [[101], 0.9],
      [[102], 0.3],
    ]);
  });

  test('a passage does not grow without end', () => {
    const ranked = [1, 2, 3, 4, 5, 6].map((at): [FoundChunk, number] => [chunk(1, at), 1 - at / 20]);
    expect(positions(ranked, 9).map(([ids]) => ids)).toEqual([
      [101, 102, 103, 104],
      [105, 106],
    ]);
  });
});

describe('joinTexts', () => {
  test('keeps what two chunks share once, and moves the segments', () => {
    const first = chunk(1, 0, 'The valve is closed. It opens at six bar.');
    const second = {
      ...chunk(1, 1, 'It opens at six bar. The pump starts then.'),
      segments: [
        { start: 0, end: 20, page: 1, boxes: [] },
        { start: 21, end: 42, page: 2, boxes: [] },
      ],
    };
    const { text, segments, markdown } = joinTexts([first, second]);
    expect(text).toBe('The valve is closed. It opens at six bar. The pump starts then.');
    expect(markdown).toBe(text);
    expect(segments.map(({ start, end, page }) => [text.slice(start, end), page])).toEqual([
      ['The valve is closed. It opens at six bar.', 1],
      ['The pump starts then.', 2],
    ]);
  });

  test('separates chunks that share nothing, and shows tables as Markdown', () => {
    const table = { ...chunk(1, 1, 'a b'), markdown: '| a | b |' };
    const { text, markdown, segments } = joinTexts([chunk(1, 0, 'Before.'), table]);
    expect(text).toBe('Before.\n\na b');
    expect(markdown).toBe('Before.\n\n| a | b |');
    expect(segments.map(({ start, end }) => text.slice(start, end))).toEqual(['Before.', 'a b']);
  });
});
