/** The first bytes of a body, and the body with them in front again. */
export async function peek(
  body: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ head: Buffer; body: AsyncIterable<Uint8Array> }> {
  const iterator = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let taken = 0;
  let ended = false;
  while (taken < length && !ended) {
    const next = await iterator.next();
    ended = next.done === true;
    if (!next.done) {
      chunks.push(next.value);
      taken += next.value.length;
    }
  }
  // Not a generator: one that has not been started can't be closed.
  const whole: AsyncIterableIterator<Uint8Array> = {
    async next() {
      const value = chunks.shift();
      if (value) return { value, done: false };
      return ended ? { value: undefined, done: true } : iterator.next();
    },
    async return() {
      await iterator.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => whole,
  };
  return { head: Buffer.concat(chunks), body: whole };
}

/** Whether bytes begin like an HTML page. */
export const looksLikeHtml = (head: Buffer): boolean =>
  /^(?:\s|\ufeff|<\?xml[^>]{0,200}>|<!--[\s\S]{0,2000}?-->)*<(?:!doctype\s+html|html|head|body)\b/i.test(
    head.toString('utf8', 0, 4_096),
  );

const signatures = new Map<string, RegExp>([
  ['pdf', /%PDF-/],
  ['docx', /^PK/],
  ['xlsx', /^PK/],
  ['pptx', /^PK/],
  ['odt', /^PK/],
  ['epub', /^PK/],
]);

/** Whether a file's first bytes contradict the ending of its name. */
export function contradicts(name: string, head: Buffer): boolean {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const signature = signatures.get(ending);
  return signature !== undefined && head.length > 0 && !signature.test(head.toString('latin1', 0, 1_024));
}
