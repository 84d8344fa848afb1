import { expect, test } from 'vitest';
import { collectEverything } from './startup-memory.ts';

test('what nobody holds any more is given back', async () => {
  const abandoned = new WeakRef({ size: 1 });
  expect(abandoned.deref()).toBeDefined();
  // A weak reference holds what it names until the current task is over.
  await new Promise((resolve) => setTimeout(resolve));
  collectEverything();
  expect(abandoned.deref()).toBeUndefined();
});
