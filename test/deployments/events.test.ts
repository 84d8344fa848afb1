import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlatformEvent } from '../../src/contracts/management/events.ts';
import { knownModel, startDeployments } from '../testkit/deployments.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { until } from '../testkit/until.ts';

test('GET /api/v1/events: every change of a job and of a pod, until the platform closes', async () => {
  const files = mkdtempSync(join(tmpdir(), 'events-models-'));
  writeTinyModel(join(files, 'one.gguf'));
  const stack = await startDeployments();
  stack.models.set('one', knownModel('one', join(files, 'one.gguf')));
  const response = await fetch(`${stack.url}/api/v1/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect((await fetch(`${stack.url}/api/v1/events`, { method: 'HEAD' })).status).toBe(405);
  let text = '';
  const read = (async () => {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) text += Buffer.from(chunk);
  })();
  const events = () =>
    text
      .split('\n\n')
      .flatMap((block) => /^event: (?:job|pod)\ndata: (.*)$/m.exec(block)?.[1] ?? [])
      .map((data) => JSON.parse(data) as PlatformEvent);

  const job = await stack.deploy({ model_id: 'one' });
  const states = () => events().flatMap((event) => (event.type === 'job' ? event.job.status : []));
  await until('the end of the job', () => states().includes('FINISHED'));
  expect(states().filter((state, at, all) => state !== all[at - 1])).toEqual([
    'CREATED',
    'RUNNING',
    'FINISHED',
  ]);
  expect(events().find((event) => event.type === 'job')).toMatchObject({ job: { id: job.id } });
  expect(events().find((event) => event.type === 'pod')).toMatchObject({
    pod: { model_name: 'one', live: true, status: 'running' },
  });

  await stack.close();
  // Ended, not cut off.
  await expect(read).resolves.toBeUndefined();
  rmSync(files, { recursive: true, force: true });
});
