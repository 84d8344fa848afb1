import { describe, expect, it } from 'vitest';
import { termsOf } from './terms.ts';

describe('termsOf', () => {
  it.each([
    ['Отпуск, отпуска и отпуску', ['отпуск', 'отпуск', 'отпуск']],
    ['requests requested requesting', ['request', 'request', 'request']],
    ['Part AB-12/3 costs 3.5, at 18:15.', ['part', 'ab-12/3', 'cost', '3.5', '18:15']],
    ['ежегодный/ежегодного 2024', ['ежегодн', 'ежегодн', '2024']],
    ['ёлка', ['елк']],
    ['the of and', []],
    ['', []],
  ])('%j', (text, terms) => expect(termsOf(text)).toEqual(terms));

  it('takes one pass over any text', () => {
    for (const piece of ['x', '1', '-', 'а1', ' ', '.1', "'"])
      expect(termsOf(piece.repeat(200_000))).toBeDefined();
  });
});
