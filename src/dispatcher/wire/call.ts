import type { Readable } from 'node:stream';
import type { Problem } from '../../contracts/problems.ts';
import type { HeaderPairs } from './head.ts';
import type { Piece } from './piece.ts';

/**
 * Told of what becomes of a call. One object instead of a function for each: functions made anew with every request
 * have been seen to keep requests in memory that were long over.
 */
export interface CallOwner {
  /** The body, whole. Not called where the caller leaves before its end. */
  receive(body: Buffer): void;
  /** The body can't be taken. */
  refuse(problem: Problem): void;
  /** The caller is gone; its answer may be complete. */
  abandon(): void;
  /** A caller that did not keep up does again. */
  resume(): void;
}

/** A request as it came in, and the way its answer goes back. */
export interface Call {
  readonly headers: HeaderPairs;
  /** Whether the request was read to its end; what is left of it is in the way of the next. */
  readonly isRead: boolean;
  /** Whether the head of an answer has been given. */
  readonly begun: boolean;
  /** Whether nothing more can be said: all is, or the caller is gone. */
  readonly over: boolean;
  owner: CallOwner | undefined;
  /** The body as a stream, for forms. Absent where only bodies of known length are taken. */
  readonly upload?: Readable;
  /** Reads the body, and gives it to the owner. */
  readBody(limit: number): void;
  /** Begins the answer. `length` is that of its body; without one it is sent in chunks. It goes out with what follows. */
  begin(status: number, headers: HeaderPairs, length: number | undefined): void;
  write(piece: Piece): void;
  /** Sends what was written; false where the caller does not keep up. */
  flush(): boolean;
  end(): void;
  /** Cuts the connection, so that nobody takes the answer for whole. */
  cut(): void;
}
