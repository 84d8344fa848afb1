import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { VectorThread } from './vector-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-thread-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A thread that ends on the first `deaths` calls, counted in a file. */
function threadThatDies(deaths: number): VectorThread {
  const counter = join(folder, `deaths-${deaths}`);
  const script = join(folder, `${deaths}.mjs`);
  writeFileSync(counter, '');
  writeFileSync(
    script,
    `import { appendFileSync, statSync } from 'node:fs';
     import { parentPort } from 'node:worker_threads';
     parentPort.on('message', (message) => {
       if (message === 'close') return parentPort.close();
       if (statSync(${JSON.stringify(counter)}).size >= ${deaths}) return parentPort.postMessage({ id: message.id, result: [] });
       appendFileSync(${JSON.stringify(counter)}, 'x');
       process.exit(1);
     });`,
  );
  return new VectorThread({ folder, memory: 0, idle: 0 }, silentLogger(), pathToFileURL(script));
}

describe('VectorThread', () => {
  it('repeats the calls of a thread that died', async () => {
    const thread = threadThatDies(1);
    expect(await Promise.all([thread.call('list'), thread.call('list')])).toEqual([[], []]);
    await thread.close();
  });

  it('fails a call that ended two threads, and starts another for the next', async () => {
    const thread = threadThatDies(2);
    await expect(thread.call('list')).rejects.toMatchObject({
      name: 'InternalFault',
      message: 'the vector store failed',
    });
    expect(await thread.call('list')).toEqual([]);
    await thread.close();
    await expect(thread.call('list')).rejects.toMatchObject({ name: 'Unavailable' });
  });
});
