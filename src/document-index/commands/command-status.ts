import type {
  CommandListEntry,
  CommandProgress,
  CommandResult,
  CommandState,
  CommandType,
} from '../../contracts/document-index/commands.ts';
import type { WorkItem, WorkProgress } from '../../platform/queue/work-item.ts';
import { indexingKind, type StoredResult, typeOf } from '../command-work.ts';

/** A command as the API shows it. */
export function describeCommand(item: WorkItem): CommandListEntry {
  const ended = item.finishedAt !== null;
  const { error = null, ...result } = ((ended ? item.result : null) ?? {}) as StoredResult;
  const progress = item.state === 'RUNNING' && item.kind === indexingKind ? progressOf(item.progress) : null;
  return {
    status: statusOf(item, error),
    ...(progress ? { progress } : {}),
    type: typeOf(item) as CommandType,
    created_at: timestamp(item.createdAt),
    started_at: item.startedAt === null ? null : timestamp(item.startedAt),
    finished_at: item.finishedAt === null ? null : timestamp(item.finishedAt),
    error: item.error ?? error,
    result: item.state === 'FINISHED' ? (result as CommandResult) : null,
  };
}

function statusOf({ state, startedAt }: WorkItem, error: string | null): CommandState {
  switch (state) {
    // One that waits for its next attempt has begun.
    case 'CREATED':
      return startedAt === null ? 'pending' : 'processing';
    case 'RUNNING':
      return 'processing';
    case 'FINISHED':
      return error === null ? 'complete' : 'error';
    case 'FAILED':
      return 'error';
    case 'KILLED':
      return 'canceled';
  }
}

/** Progress as handlers report it: in documents, with the chunks of the current one. */
export interface IndexingProgress extends WorkProgress {
  current: { done: number; total: number };
}

function progressOf(progress: WorkProgress | null): CommandProgress {
  const { done = 0, total = 0, current } = (progress ?? {}) as Partial<IndexingProgress>;
  return {
    documents: { total: total ?? 0, complete: done },
    current_document: { total: current?.total ?? 0, complete: current?.done ?? 0 },
  };
}

const timestamp = (time: number) => new Date(time).toISOString();
