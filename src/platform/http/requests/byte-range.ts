/** The first and last byte to send. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Reads a `Range` header for a resource of `size` bytes. Undefined where all of it is to be sent: for several ranges
 * and for what is not a range of bytes, which the standard lets a server ignore.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to));
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return first > last ? 'unsatisfiable' : { first, last };
}
