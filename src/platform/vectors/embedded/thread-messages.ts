import {
  BadRequest,
  Conflict,
  InternalFault,
  OutOfSpace,
  type Problem,
  Unavailable,
} from '../../../contracts/problems.ts';
import type { CollectionInfo, Hit, Point, PointQuery } from '../vector-store.ts';

/** The calls that the thread answers, with their arguments and results. */
export interface ThreadCalls {
  ensure(collection: string, dimensions: number | null): void;
  upsert(collection: string, points: readonly Point[]): boolean;
  remove(collection: string, groups: readonly number[]): number;
  search(collection: string, query: PointQuery): Hit[];
  count(collection: string): Map<number, number>;
  copy(from: string, to: string): boolean;
  drop(collection: string): void;
  list(): CollectionInfo[];
}

export interface ThreadSettings {
  folder: string;
  memory: number;
  idle: number;
}

export interface CallMessage {
  id: number;
  call: keyof ThreadCalls;
  args: unknown[];
}

export type ThreadMessage =
  | { id: number; result: unknown }
  | { id: number; failure: Failure }
  | { damaged: string; reason: string };

/** Errors lose their class between threads. */
export interface Failure {
  name: string;
  message: string;
  retryAfter?: number | undefined;
  cause?: string | undefined;
}

const problems = new Map(
  [BadRequest, Conflict, OutOfSpace, Unavailable].map((problem) => [problem.name, problem]),
);

export function failureOf(error: unknown): Failure {
  const { name, message, code } = error as Error & { code?: unknown };
  if (problems.has(name)) return { name, message, retryAfter: (error as Problem).retryAfter };
  const cause = `${name}: ${message}`;
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return { name: 'OutOfSpace', message: "the vector store's disk is full", cause };
  if (code === 'SQLITE_BUSY')
    return {
      name: 'Unavailable',
      message: 'another process is using the vector store',
      retryAfter: 5,
      cause,
    };
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || String(code).startsWith('SQLITE_READONLY'))
    return {
      name: 'InternalFault',
      message: "the platform can't write to the vector store's folder: check its permissions",
      cause,
    };
  return { name: 'InternalFault', message: 'the vector store failed', cause };
}

export function problemOf({ name, message, retryAfter, cause }: Failure): Problem {
  const options = { retryAfter, cause: cause === undefined ? undefined : new Error(cause) };
  return new (problems.get(name) ?? InternalFault)(message, options);
}
