import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../../test/testkit/stores/open-database.ts';
import type { Database } from '../../../platform/database/database.ts';
import {
  deleteDeployment,
  deletePods,
  findDeployment,
  listDeployedPods,
  putDeployment,
  putPod,
  type StoredDeployment,
  setPodStates,
} from './deployments-store.ts';
import { SlotDirectory } from './slot-directory.ts';

const deployment: StoredDeployment = {
  slot: 'chat',
  model_id: 'org/new',
  adapter_ids: ['law'],
  engine: 'llamacpp',
  dtype: null,
  replicas: 2,
  options: { max_model_len: 2048, gpus: [0, 1] },
  job_id: 'job',
  deployed_at: 1_000,
  replaced_model_id: 'org/old',
};
const spec = {
  pod_id: 'chat-1',
  engine: 'llamacpp',
  task: 'llm',
  model: 'new.gguf',
  model_name: 'org/new',
  served_model_name: 'org/new',
  adapters: [{ name: 'law', path: 'law.gguf' }],
};

describeOnEachDatabase('deployments', (databases) => {
  let database: Database;
  beforeEach(async () => {
    database = await openDatabase({ url: await databases.create() });
  });
  afterEach(() => database.close());

  test('stores one deployment per slot, and how each pod is started', async () => {
    await putDeployment(database, { ...deployment, model_id: 'org/old' });
    await putDeployment(database, deployment);
    expect(await findDeployment(database, 'chat')).toEqual(deployment);
    expect(await findDeployment(database, 'rerank')).toBeUndefined();
    const pod = { pod_id: 'chat-1', slot: 'chat', job_id: 'job', machine: 'here', spec } as const;
    await putPod(database, { ...pod, state: 'starting' });
    await setPodStates(database, ['chat-1'], 'serving');
    expect(await listDeployedPods(database, 'chat')).toEqual([{ ...pod, state: 'serving' }]);
    expect(await listDeployedPods(database, 'rerank')).toEqual([]);
    await deletePods(database, ['chat-1']);
    await deleteDeployment(database, 'chat');
    expect(await listDeployedPods(database)).toEqual([]);
    expect(await findDeployment(database, 'chat')).toBeUndefined();
  });

  test('the directory reads the table; a replaced name maps to its successor during the handover', async () => {
    await putDeployment(database, deployment);
    let now = 1_500;
    const directory = new SlotDirectory({ database, clock: { now: () => now }, handover: 1_000 });
    await directory.open();
    let changes = 0;
    directory.onChange(() => {
      changes += 1;
    });
    expect(directory.names('chat')).toEqual(['org/new', 'law']);
    expect(directory.names('rerank')).toEqual([]);
    expect(directory.successors('chat')).toEqual(new Map([['org/old', 'org/new']]));
    // The old one serves elsewhere: its name is its own again.
    directory.put({ ...deployment, slot: 'rerank', model_id: 'org/old', replaced_model_id: null });
    expect(directory.successors('chat')).toEqual(new Map());
    directory.remove('rerank');
    expect(changes).toBe(2);
    now = 2_001;
    expect(directory.successors('chat')).toEqual(new Map());
    directory.close();
  });
});
