import type { Readable } from 'node:stream';
import type { Problem } from '../../contracts/problems.ts';
import type { HeaderPairs } from '../../platform/wire/head.ts';
import type { Piece } from '../../platform/wire/piece.ts';
import type { BodyMemory } from './body-memory.ts';

/**
 * Receives the events of a call. It is one object rather than several closures, because closures created per request
 * were measured to keep finished requests in memory.
 */
export interface CallOwner {
  /** Receives the complete body. Not called if the caller leaves before sending all of it. */
  receive(body: Buffer): void;
  /** The body can't be accepted. */
  refuse(problem: Problem): void;
  /** The caller is gone. Its response may be complete. */
  abandon(): void;
  /** A slow caller has caught up with the response. */
  resume(): void;
}

/** A received request, and the means to answer it. */
export interface Call {
  readonly headers: HeaderPairs;
  /** Whether the request was read completely. */
  readonly isRead: boolean;
  /** Whether a response has been started. */
  readonly begun: boolean;
  /** Whether nothing more can be sent: the response is complete, or the caller is gone. */
  readonly over: boolean;
  owner: CallOwner | undefined;
  /** The body as a stream, for forms. Absent where only bodies of known length are accepted. */
  readonly upload?: Readable;
  /** Reads the body and passes it to the owner, if it is within the limit and there is memory for it. */
  readBody(limit: number, bodies: BodyMemory): void;
  /** Starts the response, which is chunked if the length of its body is undefined. The head is sent with the next write. */
  begin(status: number, headers: HeaderPairs, length: number | undefined): void;
  write(piece: Piece): void;
  /** Sends what was written. Returns false if the caller reads too slowly. */
  flush(): boolean;
  end(): void;
  /** Cuts the connection, so that the caller does not take the response for complete. */
  cut(): void;
}
