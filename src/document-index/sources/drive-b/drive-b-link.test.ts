import { expect, it } from 'vitest';
import { readDriveBLink } from './drive-b-link.ts';

it.each([
  ['https://disk.yandex.ru/d/AbCdEf12345', 'https://disk.yandex.ru/d/AbCdEf12345', '/'],
  ['https://disk.yandex.ru/d/AbCdEf12345/', 'https://disk.yandex.ru/d/AbCdEf12345', '/'],
  ['https://disk.yandex.ru/i/AbC-dE_12345?w=1', 'https://disk.yandex.ru/i/AbC-dE_12345', '/'],
  ['https://yadi.sk/d/AaaBbb1122Ccc', 'https://yadi.sk/d/AaaBbb1122Ccc', '/'],
  ['https://disk.360.yandex.ru/d/AbCdEf', 'https://disk.360.yandex.ru/d/AbCdEf', '/'],
  [
    'https://disk.yandex.ru/d/AbCdEf12345/%D0%9E%D1%82%D1%87%D1%91%D1%82%D1%8B/2026/%D0%98%D1%82%D0%BE%D0%B3.pdf',
    'https://disk.yandex.ru/d/AbCdEf12345',
    '/Отчёты/2026/Итог.pdf',
  ],
  [
    'https://disk.yandex.ru/public?hash=HQsmHLoeyBlJf8Eu1jlmzuU%2BZaLkjPkgcvmoktUCIo8%3D',
    'HQsmHLoeyBlJf8Eu1jlmzuU+ZaLkjPkgcvmoktUCIo8=',
    '/',
  ],
  ['https://disk.yandex.ru/public?hash=HQsmHLoe%3D%3A/a/b.pdf', 'HQsmHLoe=', '/a/b.pdf'],
])('%s', (link, key, path) => expect(readDriveBLink(link)).toEqual({ key, path }));

it.each(['https://disk.yandex.ru/', 'https://disk.yandex.ru/client/disk', 'https://disk.yandex.ru/d/'])(
  'refuses %s',
  (link) => expect(() => readDriveBLink(link)).toThrow(/not a public link/),
);
