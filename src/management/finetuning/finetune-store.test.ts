import { expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { findRun, findRunOfJob, insertRun, updateRun } from './finetune-store.ts';
import { comparisonOf } from './running/comparison.ts';

describeOnEachDatabase('training runs', (databases) => {
  it('are found by id, by job and, once compared, by adapter', async () => {
    const database = await openDatabase({ url: await databases.create() });
    const begun = {
      jobId: 'job-1',
      name: 'юрист',
      modelId: 'org/base',
      datasetId: 'd',
      hyperparameters: { epochs: 0.5 },
      createdAt: 1_900_000_000_000,
    };
    await insertRun(database, { ...begun, id: 'first' });
    expect(await findRun(database, 'first')).toEqual({
      ...begun,
      id: 'first',
      progress: null,
      curve: [],
      comparison: null,
    });
    expect(await comparisonOf(database, 'юрист')).toBeNull();

    const comparison = { base_loss: 4, adapter_loss: 1, base_general_loss: null, adapter_general_loss: null };
    const curve = [{ step: 1, loss: 0.1234567, eval_loss: null }];
    await updateRun(database, 'first', { curve, comparison });
    await insertRun(database, { ...begun, id: 'later', jobId: 'job-2', createdAt: begun.createdAt + 1 });
    expect(await findRunOfJob(database, 'job-1')).toMatchObject({
      id: 'first',
      curve,
      hyperparameters: { epochs: 0.5 },
    });
    expect(await comparisonOf(database, 'юрист')).toEqual(comparison);
    expect(await findRun(database, 'none')).toBeUndefined();
    await database.close();
  });
});
