import type { IndexingProgress } from '../commands/command-status.ts';

type Count = IndexingProgress['current'];

/**
 * Counts documents that are prepared beside each other. The current document is the one that is furthest along, and one
 * that is complete is no longer current: nobody sees progress go back.
 */
export function countProgress(
  { done, total }: { done: number; total: number },
  report: (progress: IndexingProgress) => void,
) {
  const started = new Map<number, Count>();
  let complete = done;
  const tell = () =>
    report({ done: complete, total, unit: 'documents', current: furthest([...started.values()]) });
  tell();
  return {
    chunks(document: number, count: Count): void {
      started.set(document, count);
      tell();
    },
    complete(document: number): void {
      started.delete(document);
      complete++;
      tell();
    },
  };
}

const furthest = (counts: readonly Count[]): Count =>
  counts.reduce(
    (best, count) => (share(count) > share(best) ? count : best),
    counts[0] ?? { done: 0, total: 0 },
  );

const share = ({ done, total }: Count) => (total > 0 ? done / total : 0);
