import { expect, test } from 'vitest';
import { questionWords } from '../../analysis/terms.ts';
import { dropDuplicates } from '../passages/drop-duplicates.ts';
import { positionOnScale } from '../similarity/scale-model.ts';
import { calibration } from './calibration.ts';
import { judgeAnswerable } from './judge-answerable.ts';
import { candidateParts, rankCandidates } from './rank-candidates.ts';
import { coverWords } from './term-coverage.ts';

const none = { text: 0, sentence: 0, window: 0 };
const scale = null;

test('coverage counts rare words more, and the best sentence apart', () => {
  const texts = [
    { context: '', text: 'The pump is red. The valve is closed.' },
    { context: '', text: 'A red pump valve.' },
    { context: 'Valve', text: 'The pump is blue.' },
  ];
  const [apart, together, other] = coverWords(questionWords('Is the red pump valve new?'), texts);
  expect(apart?.text).toBe(together?.text);
  expect(together?.sentence).toBeGreaterThan(apart?.sentence ?? 1);
  expect(together?.text).toBeLessThan(1);
  expect(other?.text).toBeLessThan(together?.text ?? 0);
  expect(coverWords([], texts)).toEqual([none, none, none]);
});

test('a related word counts less than the same word, and more than none', () => {
  const texts = ['Лес поглощает углерод.', 'Поглощение углерода лесом.', 'Выброс углерода лесом.'];
  const covered = coverWords(
    questionWords('Сколько углерода поглощает лес?'),
    texts.map((text) => ({ context: '', text })),
  );
  const [same = none, related = none, other = none] = covered;
  expect(same.text).toBe(1);
  expect(related.text).toBeLessThan(same.text);
  expect(related.text).toBeGreaterThan(other.text);
  expect(related.window).toBeGreaterThan(other.window);
});

test('words of the question count as close across the end of a sentence, but not far apart', () => {
  const filler = 'Many other things were built, sold, painted, moved, broken and lost along this old road. ';
  const texts = [
    'The red tower. The pump stands here.',
    `The red tower. ${filler}${filler}The pump stands here.`,
  ];
  const [near, far] = coverWords(
    questionWords('red tower pump'),
    texts.map((text) => ({ context: '', text })),
  );
  expect(near?.window).toBeCloseTo(near?.text ?? 0);
  expect(far?.text).toBe(near?.text);
  expect(far?.sentence).toBe(near?.sentence);
  expect(far?.window).toBeLessThan(near?.window ?? 0);
});

test('the context completes every sentence', () => {
  const [titled, bare] = coverWords(questionWords('pump warranty'), [
    { context: 'Pump TP', text: 'The warranty is two years.' },
    { context: 'TP', text: 'The warranty is two years.' },
  ]);
  expect(titled?.sentence).toBe(titled?.text);
  expect(bare?.sentence).toBeLessThan(titled?.sentence ?? 0);
});

test('a small lead in similarity counts little on the scale of the model', () => {
  const candidate = (dense: number, width: number) => ({
    hit: { lexical: 0, dense, sentence: dense },
    coverage: none,
    scale: { unrelated: 0.1, related: 0.1 + width },
  });
  const [first, second] = candidateParts([candidate(0.5, 0.4), candidate(0.48, 0.4)]);
  expect(first?.dense).toBe(1);
  expect(second?.dense).toBeCloseTo(0.95);
  // A model that can't tell texts apart has no scale.
  expect(candidateParts([candidate(0.5, 0.01), candidate(0.48, 0.01)])[1]?.dense).toBe(0);
  expect(candidateParts([candidate(0.5, 0.4), candidate(-1, 0.4)])[1]?.dense).toBe(0);
});

test('scores are between 0 and 1, and the best on every side is first', () => {
  const candidates = [
    { hit: { lexical: 8, dense: 0.7, sentence: 0.8 }, coverage: { text: 1, sentence: 1, window: 1 }, scale },
    {
      hit: { lexical: 4, dense: 0.6, sentence: null },
      coverage: { text: 0.5, sentence: 0.2, window: 0.2 },
      scale,
    },
    { hit: null, coverage: none, scale },
  ];
  const [first = 0, second = 0, third = 0] = rankCandidates(candidates, calibration.ranking);
  expect(first).toBeCloseTo(1, 2);
  expect(second).toBeLessThan(first);
  expect(third).toBe(0);
  expect(rankCandidates([], calibration.ranking)).toEqual([]);
});

test('a single common word is weak lexical evidence', () => {
  const [part] = candidateParts([
    {
      hit: { lexical: 2, dense: null, sentence: null },
      coverage: { text: 0.1, sentence: 0.1, window: 0.1 },
      scale,
    },
  ]);
  expect(part?.lexical).toBeCloseTo(0.1);
  expect(part?.dense).toBe(0);
});

test('more evidence means more confidence, and none is refused', () => {
  const evidence = {
    coverage: 0,
    sentenceCoverage: 0,
    window: 0,
    dense: 0,
    sentence: 0,
    fit: null,
    language: 'eng',
    sameLanguage: true,
  };
  for (const sameLanguage of [true, false]) {
    for (const dense of [null, 0]) {
      expect(judgeAnswerable({ ...evidence, dense, sameLanguage }, calibration).answerable).toBe(false);
    }
  }
  const strong = {
    coverage: 1,
    sentenceCoverage: 1,
    window: 1,
    dense: 1,
    sentence: 1,
    fit: null,
    language: 'eng',
    sameLanguage: true,
  };
  expect(judgeAnswerable(strong, calibration)).toMatchObject({ answerable: true });
  expect(judgeAnswerable({ ...strong, dense: null, sentence: null }, calibration).answerable).toBe(true);
});

test('how well the words fit counts only for a passage in another language', () => {
  const evidence = {
    coverage: 0.5,
    sentenceCoverage: 0.4,
    window: 0.4,
    dense: 0.5,
    sentence: 0.5,
    fit: { text: 0, sentence: 0, names: 0 },
    language: 'rus',
    sameLanguage: false,
  };
  const fitting = { ...evidence, fit: { text: 1, sentence: 1, names: 1 } };
  expect(judgeAnswerable(evidence, calibration).answerable).toBe(false);
  expect(judgeAnswerable(fitting, calibration).answerable).toBe(true);
  const same = { sameLanguage: true };
  expect(judgeAnswerable({ ...fitting, ...same }, calibration)).toEqual(
    judgeAnswerable({ ...evidence, ...same }, calibration),
  );
});

test('a cosine is read on the scale of its model', () => {
  expect(positionOnScale(0.85, { unrelated: 0.75, related: 0.95 })).toBeCloseTo(0.5);
  expect(positionOnScale(0.9, { unrelated: 0.5, related: 0.51 })).toBeNull();
});

test('near-duplicates are dropped, but not texts that differ in their figures', () => {
  const text = 'The warranty covers the pump, the motor, the valve, the hose and the tank for 24 months.';
  const other = text.replace('24', '36');
  expect(dropDuplicates([text, `${text} `, text.toUpperCase(), other], (item) => item)).toEqual([
    text,
    other,
  ]);
});
