import { describe, expect, it } from 'vitest';
import type { StoredDocument } from '../tables.ts';
import { planSwap, unchanged } from './plan-swap.ts';

let last = 0;
const version = (name: string, state: StoredDocument['state'], error: string | null = null, source = {}) => ({
  id: ++last,
  name,
  state,
  error,
  url: null,
  source_id: null,
  source_json: null,
  containers_json: null,
  ...source,
});

describe('planSwap', () => {
  const active = ['same', 'changed', 'broken', 'gone', 'twin'].map((name) => version(name, 'active'));
  const id = (name: string) => active.find((one) => one.name === name)?.id;
  const own = [
    version('same', 'retired', unchanged),
    version('changed', 'built'),
    version('broken', 'error', 'is encrypted'),
    version('twin', 'retired', 'has the same content as changed'),
    version('new', 'built'),
    version('removed by a cancel', 'retired'),
  ];

  it('a rebuild replaces everything but unchanged and unreadable documents', () => {
    const { activate, retire, result } = planSwap(true, own, active);
    expect(activate).toEqual([own[1]?.id, own[4]?.id]);
    expect(retire).toEqual([id('changed'), id('gone'), id('twin')]);
    expect(result).toEqual({
      added: ['changed', 'new'],
      skipped: [
        { name: 'same', reason: unchanged },
        { name: 'twin', reason: 'has the same content as changed' },
      ],
      failed: [{ name: 'broken', error: 'is encrypted' }],
      error: null,
    });
  });

  it('single documents replace only themselves', () => {
    expect(planSwap(false, own, active).retire).toEqual([id('changed')]);
  });

  it('a rebuild keeps the documents of a source that could not be listed', () => {
    const wiki = { source_json: '{"type":"wiki","url":"https://wiki/x"}' };
    const pages = [version('page', 'active', null, { ...wiki, source_id: '1', url: 'https://wiki/1' })];
    const url = 'https://wiki/x';
    const away = version('x', 'error', 'wiki does not answer', { ...wiki, source_id: url, url });
    const page = version('other page', 'error', 'is gone', {
      ...wiki,
      source_id: '2',
      url: 'https://wiki/2',
    });
    const built = version('new', 'built');
    expect(planSwap(true, [built, away], pages).retire).toEqual([]);
    expect(planSwap(true, [built, page], pages).retire).toEqual([pages[0]?.id]);
    const inside = [version('inside', 'active', null, { ...wiki, containers_json: '["top","dir"]' })];
    const folder = version('dir', 'error', 'no access', { ...wiki, source_id: 'dir' });
    expect(planSwap(true, [built, folder], inside).retire).toEqual([]);
  });

  it('a rebuild of which nothing could be read changes nothing', () => {
    expect(planSwap(true, [version('a', 'error', 'is empty')], active).retire).toEqual([]);
  });

  it('fails only if nothing is there', () => {
    const broken = version('a', 'error', 'is empty');
    expect(planSwap(true, [broken], active).result.error).toBe('a: is empty');
    expect(planSwap(true, [broken, version('b', 'error', 'x')], []).result.error).toBe(
      'none of 2 documents could be indexed; a: is empty',
    );
    expect(planSwap(true, [broken, version('b', 'retired', unchanged)], []).result.error).toBeNull();
  });
});
