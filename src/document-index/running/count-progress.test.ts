import { expect, test } from 'vitest';
import type { IndexingProgress } from '../commands/command-status.ts';
import { countProgress } from './count-progress.ts';

test('progress of documents that are prepared beside each other never goes back', () => {
  const reports: IndexingProgress[] = [];
  const progress = countProgress({ done: 1, total: 4 }, (report) => reports.push(report));
  progress.chunks(1, { done: 0, total: 2 });
  progress.chunks(1, { done: 2, total: 2 });
  progress.chunks(2, { done: 0, total: 1 });
  progress.complete(1);
  progress.chunks(2, { done: 1, total: 1 });
  progress.complete(2);
  progress.complete(3);
  const shares = reports.map(
    ({ done, current }) => done + (current.total > 0 ? current.done / current.total : 0),
  );
  expect(shares).toEqual([1, 1, 2, 2, 2, 3, 3, 4]);
  expect(reports.at(-1)).toEqual({ done: 4, total: 4, unit: 'documents', current: { done: 0, total: 0 } });
});
