import { afterEach, describe, expect, test, vi } from 'vitest';
import { requirement } from './requirement.ts';

describe('requirement', () => {
  const written: string[] = [];
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    written.length = 0;
  });

  function listen(required: string): void {
    vi.stubEnv('ROUNDHOUSE_TEST_REQUIRE', required);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  }

  test('what is there is available, silently', async () => {
    listen('');
    expect(await requirement('tool', () => true)).toEqual({ name: 'tool', available: true, reason: '' });
    expect(await requirement('tool', async () => undefined)).toMatchObject({ available: true });
    expect(written).toEqual([]);
  });

  test.each<[string, () => unknown, string]>([
    ['false', () => false, 'it was not found'],
    ['a reason', () => 'initdb is not on the PATH', 'initdb is not on the PATH'],
    ['a failure', () => Promise.reject(new Error('ENOENT')), 'ENOENT'],
  ])('%s is missing, and says so', async (_, probe, reason) => {
    listen('another tool');
    expect(await requirement('tool', probe)).toEqual({ name: 'tool', available: false, reason });
    expect(written).toEqual([`skipped, tool is missing: ${reason}\n`]);
  });

  test('what is required is tried three times', async () => {
    listen('tool');
    let attempts = 0;
    const hesitant = (success: number) => {
      attempts = 0;
      return async () => {
        if (++attempts < success) throw new Error('the registry hung up');
      };
    };
    expect(await requirement('tool', hesitant(3), { pause: 0 })).toMatchObject({ available: true });
    await expect(requirement('tool', hesitant(4), { pause: 0 })).rejects.toThrow('the registry hung up');
    expect(attempts).toBe(3);
  });

  test.each(['all', 'other, Tool'])(
    'ROUNDHOUSE_TEST_REQUIRE=%s turns a missing one into a failure',
    async (required) => {
      listen(required);
      await expect(requirement('tool', () => false)).rejects.toThrow('tool is required and missing');
    },
  );
});
