import { expect, test } from 'vitest';
import { readGuide } from './read-guide.ts';

test('a page gives its steps, with substitutions', () => {
  const steps = readGuide('machines.md#Let another machine serve a model', [['10.0.0.1', '192.0.2.1']]);
  expect(steps.map(({ machine, until }) => [machine, until])).toEqual([
    ['first', 'Try it:'],
    ['first', undefined],
    ['second', 'is served through'],
    ['first', undefined],
  ]);
  expect(steps[2]?.text).toContain('--join http://192.0.2.1:5500');
});

test('a page that has changed fails', () => {
  expect(() => readGuide('machines.md#Gone', [])).toThrow("no heading 'Gone'");
  expect(() => readGuide('machines.md', [['10.9.9.9', 'x']])).toThrow("no longer contains '10.9.9.9'");
});
