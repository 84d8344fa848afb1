import { afterAll, expect, test } from 'vitest';
import { describeOnPostgres } from '../testkit/stores/databases.ts';
import { networkAddress, starterModels } from './places.ts';
import { freePort, Reader } from './reader.ts';

const models = await starterModels();
const readers: Reader[] = [];
afterAll(async () => {
  for (const reader of readers) await reader.close();
});

/** A second folder on this machine, with its own home, stands in for the second machine. */
test.skipIf(!models.available)(
  'docs/guides/machines.md: another machine serves a model',
  {
    timeout: 300_000,
  },
  async () => {
    const [port, pods] = [await freePort(), await freePort()];
    const reader = new Reader({
      environment: { ROUNDHOUSE_PORT: port, HF_ENDPOINT: 'http://127.0.0.1:9' },
    });
    readers.push(reader);
    models.place(reader.machine());
    await reader.follow('machines.md#Let another machine serve a model', [
      ['10.0.0.1:5500', `${networkAddress()}:${port}`],
      ['rh-…', '$(cat ../first/gpu-1.key)'],
      ['pod --join', `pod --port ${pods} --join`],
    ]);
    // A row of `status`, in which the pod's own output does not count.
    expect(reader.printed).toMatch(new RegExp(`^\\S+ +smollm2-135m-instruct +llm .*:${pods} .* live$`, 'm'));
  },
);

describeOnPostgres('docs/guides/machines.md', (databases) => {
  test('separate processes', async () => {
    const [dispatcher, management] = [await freePort(), await freePort()];
    const reader = new Reader({
      environment: { ROUNDHOUSE_STARTER: 'false' },
    });
    readers.push(reader);
    await reader.follow('machines.md#Separate processes', [
      ['postgres://roundhouse:secret@db.internal/roundhouse', await databases.create()],
      ['5500', dispatcher],
      ['5501', management],
    ]);
    expect(reader.printed).toMatch(/"management":\{"ready":true\}/);
  });
});
