export interface Line {
  number: number;
  /** Null if the line is too long. */
  text: string | null;
}

const newline = 0x0a;
const byteOrderMark = '\uFEFF';

/** Splits a byte stream into lines, numbered from 1; blank lines are skipped. */
export async function* splitLines(
  content: AsyncIterable<Uint8Array>,
  longestLine: number,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  let pieces: Uint8Array[] = [];
  let length = 0;

  const take = (): Line | undefined => {
    number += 1;
    const bytes = length <= longestLine ? Buffer.concat(pieces) : undefined;
    pieces = [];
    length = 0;
    if (!bytes) return { number, text: null };
    const text = decoder.decode(bytes);
    const line = number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text;
    return line.trim() === '' ? undefined : { number, text: line };
  };

  for await (const chunk of content) {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      length += at - start;
      if (length <= longestLine) pieces.push(chunk.subarray(start, at));
      const line = take();
      if (line) yield line;
      start = at + 1;
    }
    length += chunk.length - start;
    // Bytes over the limit are counted but not kept, so that an endless line can't fill the memory.
    if (length <= longestLine) pieces.push(chunk.subarray(start));
    else pieces = [];
  }
  const last = length > 0 ? take() : undefined;
  if (last) yield last;
}
