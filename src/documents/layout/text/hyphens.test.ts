import { expect, test } from 'vitest';
import { joinLines } from './hyphens.ts';

test.each([
  ['an inter-', 'national line', 'an international line'],
  ['элек\u00ad', 'трификация', 'электрификация'],
  ['потре\u00ad‐', 'бовало', 'потребовало'],
  ['подраз-', 'деления', 'подразделения'],
  ['a well-', 'known fact', 'a well-known fact'],
  ['state-of-', 'the-art', 'state-of-the-art'],
  ['Rimsky-', 'Korsakov', 'Rimsky-Korsakov'],
  ['сделано по-', 'новому', 'сделано по-новому'],
  ['надо по-', 'строить', 'надо построить'],
  ['какой-', 'то', 'какой-то'],
  ['мес-', 'то', 'место'],
  ['из-', 'за угла', 'из-за угла'],
  ['pages 3-', '5', 'pages 3- 5'],
  ['one line', 'and the next', 'one line and the next'],
  ['the HTTP-', 'server', 'the HTTP-server'],
])('%s + %s', (first, second, joined) => {
  expect(joinLines(first, second)).toBe(joined);
});
