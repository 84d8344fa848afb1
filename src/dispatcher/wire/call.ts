import type { Problem } from '../../contracts/problems.ts';
import type { HeaderPairs } from './head.ts';
import type { Piece } from './piece.ts';

/** A request as it came in, and the way its answer goes back. */
export interface Call {
  readonly headers: HeaderPairs;
  /** Whether the request was read to its end; what is left of it is in the way of the next. */
  readonly isRead: boolean;
  /** Whether the head of an answer has been given. */
  readonly begun: boolean;
  /** Whether nothing more can be said: all is, or the caller is gone. */
  readonly over: boolean;
  /** Called once when the caller leaves before its answer is complete. */
  onGone: () => void;
  /** Called when a caller that did not keep up does again. */
  onDrained: () => void;
  /** Reads a body whole. `done` is not called where the caller leaves before its end. */
  readBody(limit: number, done: (body: Buffer) => void, refuse: (problem: Problem) => void): void;
  /** Begins the answer. `length` is that of its body; without one it is sent in chunks. It goes out with what follows. */
  begin(status: number, headers: HeaderPairs, length: number | undefined): void;
  write(piece: Piece): void;
  /** Sends what was written; false where the caller does not keep up. */
  flush(): boolean;
  end(): void;
  /** Cuts the connection, so that nobody takes the answer for whole. */
  cut(): void;
}
