import { describe, expect, test } from 'vitest';
import { startingPod } from '../../../../test/testkit/pods/launched-pod.ts';
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
    [undefined, 'its pod on two does not answer', 'two'],
  ])('%o', (launched, words, elsewhere?: string) => expect(whyAway(launched, elsewhere)).toBe(words));
});
