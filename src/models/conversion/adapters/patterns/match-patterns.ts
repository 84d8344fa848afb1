import { Worker } from 'node:worker_threads';
import { BadRequest } from '../../../../contracts/problems.ts';

type Found = { first: number[] } | { invalid: number };

const usualTime = 2_000;

/**
 * For each module, the index of the first pattern that PEFT applies to it; -1 where none does. PEFT reads a pattern as a
 * regular expression for the end of a module's name, after a dot. Most are plain names, which are compared as texts.
 */
export async function matchPatterns(
  patterns: readonly string[],
  modules: readonly string[],
  time = usualTime,
): Promise<number[]> {
  if (patterns.every((pattern) => /^[\w.-]+$/.test(pattern))) {
    return modules.map((module) => patterns.findIndex((name) => `.${module}`.endsWith(`.${name}`)));
  }
  const found = await inThread(patterns, modules, time);
  if ('first' in found) return found.first;
  throw new BadRequest(`its pattern '${patterns[found.invalid]?.slice(0, 100)}' can't be read`);
}

/** A pattern may backtrack for years: a thread can be ended, the main one can't. */
async function inThread(
  patterns: readonly string[],
  modules: readonly string[],
  time: number,
): Promise<Found> {
  const thread = new Worker(new URL('./pattern-thread.mjs', import.meta.url), {
    workerData: { patterns, modules },
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Found>((resolve, reject) => {
      const refuse = () => reject(new BadRequest('its patterns (alpha_pattern) take too long to match'));
      timer = setTimeout(refuse, time);
      thread.once('message', resolve);
      thread.once('error', refuse);
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
