import { expect, it } from 'vitest';
import { nameUploads } from './uploads.ts';

const upload = (name: string, sha256: string) => ({
  name,
  sha256,
  blob: `${name}-${sha256}`,
  type: null,
  bytes: 1,
});

it('keeps identical files once, and numbers others of the same name', () => {
  const { kept, dropped } = nameUploads([
    upload('a.txt', '1'),
    upload('a.txt', '1'),
    upload('a.txt', '2'),
    upload('a.txt', '2'),
    upload('a (2).txt', '3'),
    upload('constructor', '4'),
    upload('constructor', '5'),
  ]);
  expect(kept.map(({ name, sha256 }) => [name, sha256])).toEqual([
    ['a.txt', '1'],
    ['a (3).txt', '2'],
    ['a (2).txt', '3'],
    ['constructor', '4'],
    ['constructor (2)', '5'],
  ]);
  expect(dropped).toHaveLength(2);
});
