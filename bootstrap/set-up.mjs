import { missingDependencies } from './dependencies.mjs';
import { chooseNode } from './node.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { step } from './steps.mjs';

/**
 * Downloads Node and installs the dependencies where they are missing, both at the same time: npm runs with the
 * machine's Node. Returns the path of the Node to use.
 */
export async function setUp({ development }) {
  const node = chooseNode();
  const missing = () => [node.missing(), missingDependencies({ development })].filter(Boolean);
  if (missing().length > 0) {
    await withSetupLock(async (onStart) => {
      // Another process may have finished the setup in the meantime.
      const tasks = missing();
      if (tasks.length === 0) return;
      await step(titleOf(tasks), () => runAll(tasks, onStart));
      for (const task of tasks) await task.finish?.(onStart);
    });
  }
  return node.path;
}

function titleOf(tasks) {
  const [first, ...others] = tasks.map(({ title }) => title);
  return [first, ...others.map((title) => title.charAt(0).toLowerCase() + title.slice(1))].join(' and ');
}

/** Waits for every task, also if one fails: the lock must not be released while npm is running. */
async function runAll(tasks, onStart) {
  const results = await Promise.allSettled(tasks.map((task) => task.run(onStart)));
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure) throw failure.reason;
}
