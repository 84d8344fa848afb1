import { expect, test } from 'vitest';
import { attachment } from './attachment.ts';

test.each([
  ['train.jsonl', `attachment; filename="train.jsonl"; filename*=UTF-8''train.jsonl`],
  [
    'беседы 1.jsonl',
    `attachment; filename="_ 1.jsonl"; filename*=UTF-8''%D0%B1%D0%B5%D1%81%D0%B5%D0%B4%D1%8B%201.jsonl`,
  ],
  [`a"b\\c'(1)*.txt`, `attachment; filename="a_b_c'(1)*.txt"; filename*=UTF-8''a%22b%5Cc%27%281%29%2A.txt`],
  ['\r\nset-cookie: x', `attachment; filename="_set-cookie: x"; filename*=UTF-8''%0D%0Aset-cookie%3A%20x`],
])('%s', (name, header) => {
  expect(attachment(name)).toBe(header);
});
