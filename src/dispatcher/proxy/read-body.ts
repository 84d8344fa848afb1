import type { IncomingMessage } from 'node:http';
import { PayloadTooLarge } from '../../contracts/problems.ts';

/** Reads a body whole. `done` is not called where the caller leaves before its end. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  refuse: (problem: PayloadTooLarge) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? -1);
  if (announced > limit) {
    refuse(tooLarge(limit));
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let length = 0;
  let over = false;
  request.on('data', (chunk: Buffer) => {
    if (over) return;
    length += chunk.length;
    if (length > limit) {
      over = true;
      return refuse(tooLarge(limit));
    }
    if (!first) first = chunk;
    else if (more) more.push(chunk);
    else more = [first, chunk];
    if (length === announced) {
      over = true;
      done(more ? Buffer.concat(more) : first);
    }
  });
  request.on('end', () => {
    if (over) return;
    done(more ? Buffer.concat(more) : (first ?? Buffer.alloc(0)));
  });
}

function tooLarge(limit: number): PayloadTooLarge {
  return new PayloadTooLarge(`the request body is larger than the ${limit} bytes this server takes`);
}
