import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from './service.ts';

export interface Drain {
  /** Whether the server is closing. */
  draining(): boolean;
  /** Accepts no new requests, gives running ones `limit` milliseconds to finish, then closes all connections. */
  close(limit: number): Promise<void>;
}

export function drainable(app: App): Drain {
  let closing: Promise<void> | undefined;
  const closeQuietOnes = watchConnections(app, () => closing !== undefined);
  return {
    draining: () => closing !== undefined,
    close(limit) {
      closing ??= (async () => {
        const cut = setTimeout(() => app.server.closeAllConnections(), limit);
        const done = app.close();
        closeQuietOnes();
        await done.finally(() => clearTimeout(cut));
      })();
      return closing;
    },
  };
}

/**
 * Node's own `closeIdleConnections` doesn't close connections that have not sent anything yet, nor keep-alive ones
 * that were busy at that moment. Either would delay closing until the limit.
 */
function watchConnections(app: App, draining: () => boolean): () => void {
  const running = new Map<Socket, number>();
  app.server.on('connection', (socket: Socket) => {
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (running.get(socket) ?? 1) - 1;
      if (running.has(socket)) running.set(socket, left);
      if (draining() && left === 0) socket.end();
    });
  });
  return () => {
    for (const [socket, requests] of running) if (requests === 0) socket.destroy();
  };
}
