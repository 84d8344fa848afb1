/** Why a file can't be read, for callers that answer with a code. */
export type UnreadableReason =
  | 'encrypted'
  | 'invalid'
  | 'empty'
  | 'unsupported'
  | 'too many pages'
  | 'too large'
  | 'too slow'
  | 'no converter'
  | 'no OCR'
  | 'crashed';

/** A file that can't be read as asked. The message is meant for the person who sent it. */
export class Unreadable extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unreadable';
    this.reason = reason;
  }
}
