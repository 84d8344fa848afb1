import type { Draft } from '../../drafts/draft.ts';
import type { FormatInput } from '../format-input.ts';
import { readBytes } from '../read-text.ts';
import { RtfReader } from './rtf-reader.ts';
import { rtfTokens } from './rtf-tokens.ts';

export async function* readRtf(input: FormatInput): AsyncGenerator<Draft> {
  yield* rtfDrafts(await readBytes(input));
}

/** Headers come at the end of reading, so a document is given as a whole. */
export function rtfDrafts(bytes: Buffer): Draft[] {
  const hasPages = bytes.includes('\\page') || bytes.includes('\\softpage');
  const reader = new RtfReader(hasPages && /\\(?:soft)?page(?![a-z])/.test(bytes.toString('latin1')));
  for (const token of rtfTokens(bytes)) reader.token(token);
  return reader.end();
}
