import { describe, expect, it } from 'vitest';
import type { StoredDocument } from '../tables.ts';
import { planSwap, unchanged } from './plan-swap.ts';

let last = 0;
const version = (name: string, state: StoredDocument['state'], error: string | null = null) => ({
  id: ++last,
  name,
  state,
  error,
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

  it('fails only if nothing is there', () => {
    const broken = version('a', 'error', 'is empty');
    expect(planSwap(true, [broken], active).result.error).toBe('a: is empty');
    expect(planSwap(true, [broken, version('b', 'error', 'x')], []).result.error).toBe(
      'none of 2 documents could be indexed; a: is empty',
    );
    expect(planSwap(true, [broken, version('b', 'retired', unchanged)], []).result.error).toBeNull();
  });
});
