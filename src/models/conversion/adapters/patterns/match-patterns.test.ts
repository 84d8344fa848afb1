import { expect, test } from 'vitest';
import { matchPatterns } from './match-patterns.ts';

const modules = ['model.layers.0.self_attn.q_proj', 'model.layers.11.mlp.up_proj', 'lm_head'];

test.each([
  ['names match whole parts of a name', ['q_proj', 'proj', 'up_proj'], [0, 2, -1]],
  ['a longer name, a whole one', ['layers.11.mlp.up_proj', 'lm_head'], [-1, 0, 1]],
  ['regular expressions, as PEFT reads them', ['layers\\.\\d\\..*', '.*proj'], [0, 1, -1]],
  ['alternatives are kept together', ['k_proj|q_proj|lm_head'], [0, -1, 0]],
  ['names of what every object has', ['constructor', '__proto__', 'toString'], [-1, -1, -1]],
])('%s', async (_, patterns, expected) => {
  expect(await matchPatterns(patterns, modules)).toEqual(expected);
});

test('a pattern that backtracks for ever is refused, and the process goes on meanwhile', async () => {
  let turns = 0;
  const beat = setInterval(() => turns++, 5);
  const hostile = matchPatterns(['(((.+)+)+)+!'], ['a'.repeat(60)], 300);
  await expect(hostile).rejects.toThrow('take too long to match');
  clearInterval(beat);
  expect(turns).toBeGreaterThan(3);
});

test('a pattern that is none is refused by name', async () => {
  await expect(matchPatterns(['q_proj', '(?P<x>[)'], modules)).rejects.toThrow("'(?P<x>[)' can't be read");
});
