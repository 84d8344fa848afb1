/**
 * A process with a work runner, for tests that kill it. It says on its standard output what is durable:
 * each line is written only after the commit it speaks of. Arguments: database address, folder for
 * signs, lease in milliseconds, and `flood` to enqueue without end.
 */
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/contracts/clock.ts';
import { createWorkRunner } from '../../src/platform/queue/running/work-runner.ts';
import type { WorkContext, WorkKind } from '../../src/platform/queue/work-kind.ts';
import { createWorkQueue } from '../../src/platform/queue/work-queue.ts';
import { openDatabase } from '../testkit/stores/open-database.ts';

const [url = '', folder = '', lease = '1000', mode = ''] = process.argv.slice(2);

function say(what: string, name: string): void {
  writeSync(1, `${what} ${name}\n`);
}

/** Leaves a file for its key while it runs: whoever finds one there ran beside another. */
async function quick({ name, payload }: WorkContext<{ key: string }>): Promise<string> {
  const sign = join(folder, payload.key);
  try {
    closeSync(openSync(sign, 'wx'));
  } catch {
    say('clash', name);
  }
  say('begin', name);
  await setTimeout(2);
  rmSync(sign, { force: true });
  return name;
}

/** Runs until the file `go` is there; deaf ones don't listen to their signal. */
async function hold({ name, signal, payload, attempt }: WorkContext<{ deaf?: boolean }>): Promise<string> {
  say('begin', `${name} ${attempt}`);
  signal.addEventListener('abort', () => say('abort', name));
  while (!existsSync(join(folder, 'go'))) {
    if (!payload.deaf) signal.throwIfAborted();
    await setTimeout(5);
  }
  say('return', name);
  return `attempt ${attempt}`;
}

const database = await openDatabase({ url });
const queue = createWorkQueue({ database, clock: systemClock });
const runner = createWorkRunner({
  database,
  queue,
  clock: systemClock,
  logger: { error: () => {}, warn: () => {} },
  pollEvery: 50,
  lease: Number(lease),
  kinds: {
    QUICK: { concurrency: 4, afterCrash: 'resume', attempts: 1_000, run: quick } as WorkKind,
    RESUMED: { concurrency: 4, afterCrash: 'resume', run: hold } as WorkKind,
    FAILED: { concurrency: 4, afterCrash: 'fail', run: hold } as WorkKind,
  },
});
queue.subscribe((item) => say(item.state, item.name));
runner.start();
say('ready', String(process.pid));

process.on('SIGTERM', async () => {
  await runner.stop();
  await database.close();
  process.exit(0);
});

for (let number = 0; mode === 'flood'; number += 1) {
  const key = `key-${number % 5}`;
  const name = `${process.pid}-${number}`;
  await queue.enqueue({ kind: 'QUICK', name, payload: { key }, exclusiveKeys: [key] });
  // Not faster than it is worked off, so that completions are under fire too.
  if (number % 4 === 3) await setTimeout(1);
  await setImmediate();
}
