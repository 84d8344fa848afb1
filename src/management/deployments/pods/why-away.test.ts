import { describe, expect, test } from 'vitest';
import { startingPod } from '../../../../test/testkit/launched-pod.ts';
import { whyAway } from './why-away.ts';

describe('whyAway', () => {
  const pod = startingPod('a');
  test.each([
    [undefined, 'its process is not running'],
    [pod, 'starting: loading the model'],
    [{ ...pod, progress: 'loading 40 %' }, 'starting: loading 40 %'],
    [{ ...pod, error: 'exit 3' }, 'starting: loading the model (before: exit 3)'],
    [{ ...pod, state: 'running' as const }, 'it does not answer'],
    [{ ...pod, state: 'crash-looping' as const, error: 'exit 3' }, 'exit 3'],
    [{ ...pod, state: 'stopping' as const }, 'it is stopping'],
  ])('%o', (launched, words) => expect(whyAway(launched)).toBe(words));
});
