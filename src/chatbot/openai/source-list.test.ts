import { describe, expect, it } from 'vitest';
import { sourceList, withoutSources } from './source-list.ts';

const citation = (title: string, uri: string, page: number | null = null) => ({
  title,
  uri,
  page,
  passage_md: '',
  score: 1,
  quote: '',
  boxes: [],
});

describe('sourceList', () => {
  it('names files of the bot, and gives the addresses of others', () => {
    const documents = [
      citation('Handbook', '/documents/rules/handbook%20v2.pdf#page=2', 2),
      citation('manual.md', '/documents/rules/manual.md'),
      citation('Boiler house', 'https://wiki.example/display/OPS/Boiler+house', 1),
      citation('Old', ''),
    ];
    expect(sourceList('Yes [1]', documents)).toBe(
      '\n\nSources:\n[1] Handbook, p. 2 (handbook v2.pdf)\n[2] manual.md\n[3] Boiler house, p. 1: https://wiki.example/display/OPS/Boiler+house\n[4] Old',
    );
  });

  it('is removed from what clients send back', () => {
    const list = sourceList('Да [1]', [citation('Приказ', '/documents/hr/%D1%81%D0%BA%D0%B0%D0%BD.png', 1)]);
    expect(list).toBe('\n\nИсточники:\n[1] Приказ, с. 1 (скан.png)');
    expect(withoutSources(`Да [1]${list}`)).toBe('Да [1]');
  });
});
