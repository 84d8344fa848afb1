import { Unreadable } from '../../../documents/unreadable.ts';
import type { PageWriter } from '../../../documents/writing/page-writer.ts';
import { once } from '../files/once.ts';
import { peek } from '../files/peek.ts';

/** Larger files stay as they are: they would have to be kept in memory. */
const mostBytes = 32 * 2 ** 20;

/** A PDF file that a system has exported, with the path to it at the top; as it was where that can't be written. */
export async function withPath(
  writer: PageWriter,
  exported: AsyncIterable<Uint8Array>,
  path: readonly string[],
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (path.length === 0) return exported;
  const { head, body } = await peek(exported, mostBytes + 1);
  if (head.length > mostBytes) return body;
  try {
    return once(await writer.withPath(head, path, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Unreadable)) throw error;
    return body;
  }
}
