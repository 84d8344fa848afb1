import { expect, it } from 'vitest';
import { safeDetails, safeSubject } from './safe-text.ts';

it('keeps ordinary names as they are, whatever they look like to a program', () => {
  for (const name of ['constructor', '__proto__', 'org/model@main:Q4_K_M', 'портал 🚂', '']) {
    expect(safeSubject(name)).toBe(name);
  }
  expect(safeDetails({ name: '__proto__', scopes: ['admin'], limits: {}, expires_at: null })).toEqual({
    name: '__proto__',
    scopes: ['admin'],
    limits: {},
    expires_at: null,
  });
});

it('cuts long texts without splitting a character, and long lists', () => {
  const cut = safeSubject('🚂'.repeat(10_000));
  expect(cut.length).toBeLessThanOrEqual(256);
  expect(cut).toMatch(/^(🚂)+…$/u);
  const { list, text } = safeDetails({ list: Array(60).fill('pod'), text: 'x'.repeat(10_000) });
  expect(list).toHaveLength(51);
  expect((list as string[]).at(-1)).toBe('… and 10 more');
  expect(text).toHaveLength(500);
});

it('removes control characters and lone surrogates', () => {
  expect(safeSubject('a\0b\u001b[31mc\uD800')).toBe('a�b�[31mc�');
});

it('removes secrets, also one that the cut would have split', () => {
  const key = `rh-${'A1b2'.repeat(10)}`;
  expect(safeSubject(`${'x'.repeat(240)} ${key}`)).not.toContain('A1b2');
  expect(safeSubject('https://user:hunter2@hub.example/org/model?token=abc')).toBe(
    'https://[redacted]@hub.example/org/model?token=[redacted]',
  );
  expect(
    JSON.stringify(safeDetails({ token: 'abc', deep: { url: `https://x/?api_key=abc` } })),
  ).not.toContain('abc');
});
