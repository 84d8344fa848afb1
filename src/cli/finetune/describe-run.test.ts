import { expect, it } from 'vitest';
import type { Job } from '../../contracts/management/jobs.ts';
import { nextFor } from './describe-run.ts';

const after = (status: Job['status']) =>
  nextFor({ name: 'право', model_id: 'org/base', dataset_id: 'd1', job: { id: 'j1', status } as Job });

it('names what to do after a training, and during one', () => {
  expect(after('FINISHED')).toEqual(['run право']);
  expect(after('KILLED')).toEqual(['finetune run d1 --model org/base --name право']);
  expect(after('RUNNING')).toEqual(['jobs follow j1', 'finetune stop']);
});
