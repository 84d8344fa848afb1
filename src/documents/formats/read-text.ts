import { readFile, stat } from 'node:fs/promises';
import { decodeText } from '../detection/decode-text.ts';
import { Unreadable } from '../unreadable.ts';
import type { FormatInput } from './format-input.ts';

/** The bytes of a file that is read as a whole. */
export async function readBytes({ path, mostBytes }: FormatInput): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > mostBytes) {
    throw new Unreadable(
      'too large',
      `The file has more than ${Math.round(mostBytes / 2 ** 20)} MiB of text.`,
    );
  }
  return readFile(path);
}

/** The text of a file, with line ends as `\n`. `declaredBy` finds the encoding that the text itself names. */
export async function readText(
  input: FormatInput,
  declaredBy?: (start: string) => string | undefined,
): Promise<string> {
  const bytes = await readBytes(input);
  const declared = declaredBy?.(bytes.toString('latin1', 0, 2_048));
  const { text } = decodeText(bytes, { encoding: input.encoding, declared });
  return text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
}
