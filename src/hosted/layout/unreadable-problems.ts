import {
  BadRequest,
  DeadlineExceeded,
  PayloadTooLarge,
  type Problem,
  Unavailable,
  Unprocessable,
} from '../../contracts/problems.ts';
import { Unreadable, type UnreadableReason } from '../../documents/unreadable.ts';

const problems: Record<UnreadableReason, (message: string) => Problem> = {
  unsupported: (message) => new BadRequest(message, { code: 'unsupported_file' }),
  'no converter': (message) => new BadRequest(message, { code: 'unsupported_file' }),
  encrypted: (message) => new Unprocessable(message, { code: 'encrypted_file' }),
  invalid: (message) => new Unprocessable(message, { code: 'invalid_file' }),
  empty: (message) => new Unprocessable(message, { code: 'empty_file' }),
  crashed: (message) => new Unprocessable(message, { code: 'unreadable_file' }),
  'too many pages': (message) => new PayloadTooLarge(message, { code: 'too_many_pages' }),
  'too large': (message) => new PayloadTooLarge(message, { code: 'file_too_large' }),
  'too slow': (message) => new DeadlineExceeded(message),
  'no OCR': (message) => new Unavailable(message, { code: 'ocr_unavailable' }),
};

/** The answer to a file that can't be read; other errors stay as they are. With several files, it names the file. */
export function problemOf(error: unknown, name: string, isAlone: boolean): unknown {
  if (!(error instanceof Unreadable)) return error;
  return problems[error.reason](isAlone ? error.message : `${name}: ${error.message}`);
}
