import type { UnreadableReason } from '../unreadable.ts';

/** From the pool to a worker. */
export type ToWorker =
  | { type: 'run'; task: string; input: unknown; mostOutput: number }
  /** The pool has taken a piece; the worker may send one more. */
  | { type: 'more' };

/** From a worker to the pool. */
export type FromWorker =
  /** Serialised items. */
  | { type: 'piece'; items: Buffer }
  | { type: 'done'; result: unknown; memory: number }
  | { type: 'failed'; reason: UnreadableReason; message: string; detail?: string };

/** How many pieces a worker sends before it waits for the pool to take some. */
export const window = 16;
/** A piece is sent once it has this many bytes. */
export const pieceBytes = 1 << 18;

/** What a worker that is over its memory ends itself with; the pool tells the cause by it. */
export const memorySignal = 'SIGUSR2';
