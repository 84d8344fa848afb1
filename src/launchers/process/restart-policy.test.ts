import { describe, expect, test } from 'vitest';
import { decideRestart, defaultRestartPolicy as policy } from './restart-policy.ts';

describe('decideRestart', () => {
  test('doubles the delay after each failure, up to the maximum', () => {
    const delays = [0, 1, 2, 3, 10, 1000].map((failures) => decideRestart(policy, failures, 0).delay);
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
  });

  test('resets the failures of a pod that ran long enough', () => {
    expect(decideRestart(policy, 9, policy.stableAfter)).toEqual({
      failures: 1,
      delay: 1_000,
      looping: false,
    });
    expect(decideRestart(policy, 9, policy.stableAfter - 1).failures).toBe(10);
  });

  test('is a crash loop from the fifth consecutive failure', () => {
    expect(decideRestart(policy, 3, 0).looping).toBe(false);
    expect(decideRestart(policy, 4, 0).looping).toBe(true);
  });
});
