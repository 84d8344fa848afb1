import type { Socket } from 'node:net';

/** Beyond this, copying bytes into a string costs more than a second write. */
export const longestText = 8192;

/** Writes a text and bytes after it, at once where that is cheap. False where the other side does not keep up. */
export function writeBytes(socket: Socket, text: string, bytes: Buffer): boolean {
  if (bytes.length <= longestText) return socket.write(text + bytes.toString('latin1'), 'latin1');
  socket.cork();
  socket.write(text, 'latin1');
  const flowing = socket.write(bytes);
  socket.uncork();
  return flowing;
}
