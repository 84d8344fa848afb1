import { createServer, type Server } from 'node:net';

/**
 * Ports for programs that need to know theirs in advance. They lie below those that the kernel gives to whoever asks for
 * any, so that nobody else is given one before the program takes it.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server: Server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
