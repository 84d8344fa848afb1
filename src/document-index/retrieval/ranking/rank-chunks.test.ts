import { expect, test } from 'vitest';
import type { FoundChunk } from '../passages/passages-store.ts';
import { calibration } from './calibration.ts';
import { type Gathered, rankChunks } from './rank-chunks.ts';

const chunk = (id: number): FoundChunk => ({
  id,
  version: 1,
  position: 2 * id,
  text: '',
  context: '',
  headings: [],
  markdown: null,
  page: null,
  segments: [],
  language: 'eng',
  document: { name: 'a.txt', title: null, url: null, type: null, source_json: null, pages: null },
});
const candidate = (covered: number) => ({
  hit: { lexical: covered, dense: null, sentence: null },
  coverage: { text: covered, sentence: covered, window: covered },
  scale: null,
});
const gathered = (...formulations: number[][]): Gathered => ({
  language: 'eng',
  chunks: [chunk(1), chunk(2)],
  formulations: formulations.map((covered, at) => ({ text: `${at}`, candidates: covered.map(candidate) })),
});
const order = (found: Gathered) => rankChunks(found, calibration).ranked.map(({ chunk: { id } }) => id);

test('a part of a question does not outrank the question, though it is covered more easily', () => {
  expect(order(gathered([0.5, 0.1], [0.2, 1]))).toEqual([1, 2]);
});

test('another formulation finds what the question does not', () => {
  expect(order(gathered([0, 0], [0.2, 0.9]))).toEqual([2, 1]);
  expect(order(gathered([0.5, 0.5], [0.1, 0.4]))).toEqual([1, 2]);
  expect(rankChunks(gathered([0, 0], [0.2, 0.9]), calibration).judgement.answerable).toBe(true);
});

test('nothing is found for nothing', () => {
  const { ranked, judgement } = rankChunks({ language: 'eng', chunks: [], formulations: [] }, calibration);
  expect(ranked).toEqual([]);
  expect(judgement).toEqual({ confidence: 0, answerable: false });
});
