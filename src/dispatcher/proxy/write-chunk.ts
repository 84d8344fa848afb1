import type { ServerResponse } from 'node:http';

/** Beyond this, copying a chunk into a string costs more than it saves. */
const longestText = 8192;

/** Writes the first chunk of an answer after its head; true while the caller keeps up, and `drained` once it does again. */
export function writeFirstChunk(response: ServerResponse, chunk: Buffer, drained: () => void): boolean {
  const flowing = response.write(chunk);
  if (!flowing) response.once('drain', drained);
  return flowing;
}

/**
 * Writes a further chunk at once and calls `drained` where the caller can't keep up; true while it can. Node
 * frames a chunk of unknown length in four pieces on the next tick; of a stream of small events that is most of the
 * work, so those are framed here and written to the connection in one.
 */
export function writeChunk(response: ServerResponse, chunk: Buffer, drained: () => void): boolean {
  const { socket } = response;
  if (socket && response.chunkedEncoding && chunk.length <= longestText) {
    const flowing = socket.write(`${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`, 'latin1');
    if (!flowing) socket.once('drain', drained);
    return flowing;
  }
  return writeFirstChunk(response, chunk, drained);
}
