import { describe, expect, it } from 'vitest';
import { StopTexts } from './stop-texts.ts';

/** Pushes pieces numbered by place; returns what came out after each, and at the end. */
function run(stops: string[], pieces: string[]) {
  const texts = new StopTexts<number>(stops);
  const out: { text: string; extras: number[]; stop?: string }[] = [];
  for (const [index, text] of pieces.entries()) {
    const released = texts.push({ text, extras: [index] });
    out.push(released);
    if (released.stop !== undefined) return out;
  }
  out.push(texts.flush());
  return out;
}

const all = (out: { text: string }[]) => out.map(({ text }) => text).join('');

describe('stop texts', () => {
  it('pass everything at once where there are none', () => {
    expect(run([], ['a', 'b'])).toEqual([
      { text: 'a', extras: [0] },
      { text: 'b', extras: [1] },
      { text: '', extras: [] },
    ]);
  });

  it('are found across pieces, and nothing of them is passed', () => {
    const out = run(['\nUser:'], ['Hello', '\nUs', 'er', ':', ' never']);
    expect(all(out)).toBe('Hello');
    expect(out.at(-1)).toEqual({ text: '', extras: [], stop: '\nUser:' });
    expect(out.flatMap(({ extras }) => extras)).toEqual([0]);
  });

  it('release what turned out to be none', () => {
    const out = run(['###'], ['a#', '#', 'b##', 'c']);
    expect(all(out)).toBe('a##b##c');
    expect(out.flatMap(({ extras }) => extras)).toEqual([0, 1, 2, 3]);
    expect(out[0]).toEqual({ text: 'a', extras: [0] });
  });

  it('end at the earliest, and the longest of those', () => {
    expect(run(['cd', 'b', 'bc'], ['abcd']).at(-1)).toEqual({ text: 'a', extras: [0], stop: 'bc' });
  });

  it('release what is held when the answer ends', () => {
    expect(run(['stop'], ['let us st']).at(-1)).toEqual({ text: 'st', extras: [] });
  });

  it('ignore an empty one', () => {
    expect(all(run([''], ['abc']))).toBe('abc');
  });
});
