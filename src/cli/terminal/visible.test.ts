import { describe, expect, test } from 'vitest';
import { ProgressLine } from './progress-line.ts';
import { table } from './table.ts';
import { visible } from './visible.ts';

const hostile = 'a\u001b[2J\u009b31m\u0007\u202eb';
const harmless = 'a\\u001b[2J\\u009b31m\\u0007\\u202eb';

describe('text of others on a terminal', () => {
  test('shows what would be carried out, and leaves the rest', () => {
    expect(visible(hostile)).toBe(harmless);
    expect(visible('привет\tмир\r\n👩‍🔬 \r')).toBe('привет\tмир\r\n👩‍🔬 \\u000d');
    expect(JSON.parse(visible(JSON.stringify(hostile)))).toBe(hostile);
  });

  test('a cell stays in its line and column', () => {
    expect(
      table(
        ['POD', 'STATE'],
        [
          ['x\ny', 'live'],
          [hostile, 'away'],
        ],
      ).split('\n'),
    ).toEqual([
      'POD                               STATE',
      'x\\u000ay                          live',
      `${harmless}  away`,
    ]);
  });

  test('the message of a job', () => {
    let written = '';
    new ProgressLine({ write: (text) => (written += text) }).note(hostile);
    expect(written).toBe(`${harmless}\n`);
  });
});
