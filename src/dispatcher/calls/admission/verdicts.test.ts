import { expect, it } from 'vitest';
import { anonymous, type KeyHolder } from '../../../platform/http/access.ts';
import { Verdicts } from './verdicts.ts';

let now = 0;
const verdicts = () => new Verdicts({ now: () => now });
const holder = (id: string): KeyHolder => ({
  kind: 'key',
  id,
  name: id,
  owner: null,
  scopes: [],
  limits: {},
});

it('remembers a caller for half a second', () => {
  const kept = verdicts();
  kept.keep('Bearer a', holder('a'));
  expect(kept.get('Bearer a')?.id).toBe('a');
  expect(kept.get('Bearer b')).toBeUndefined();
  now += 500;
  expect(kept.get('Bearer a')).toBeUndefined();
});

it('remembers callers without a key, but few of them and no long headers', () => {
  const kept = verdicts();
  kept.keep('Bearer real', holder('real'));
  expect(kept.keep(undefined, anonymous).id).toBe('anonymous');
  expect(kept.get(undefined)?.id).toBe('anonymous');
  for (let n = 0; n < 60_000; n++) kept.keep(`Bearer made-up ${n}`, anonymous);
  expect(kept.size).toBeLessThan(100);
  expect(kept.get('Bearer real')?.id).toBe('real');
  kept.keep('x'.repeat(5000), anonymous);
  expect(kept.get('x'.repeat(5000))).toBeUndefined();
});

it('an unknown key that becomes known is known by its last verdict', () => {
  const kept = verdicts();
  kept.keep('Bearer a', anonymous);
  kept.keep('Bearer a', holder('a'));
  expect(kept.get('Bearer a')?.id).toBe('a');
  kept.keep('Bearer a', anonymous);
  expect(kept.get('Bearer a')?.id).toBe('anonymous');
});
