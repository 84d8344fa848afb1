import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';

interface RawRequest {
  head: string;
  body: Buffer;
}

export interface RawPod {
  port: number;
  /** Total number of connections. */
  connections: number;
  requests: RawRequest[];
  /** Called once per request, after all of it has arrived. */
  answer: (socket: Socket, request: RawRequest) => void;
  close(): Promise<void>;
}

interface RawPodOptions {
  host?: string;
  tls?: { key: string; cert: string };
  /** Called for each connection, before anything is read from it. */
  onConnection?: (socket: Socket) => void;
}

/** A pod that answers with raw bytes. It reads requests of known length, one after the other per connection. */
export async function startRawPod(answer: RawPod['answer'], options: RawPodOptions = {}): Promise<RawPod> {
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket) => {
    pod.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    options.onConnection?.(socket);
    let rest = Buffer.alloc(0);
    socket.on('data', (piece) => {
      rest = Buffer.concat([rest, piece]);
      for (let next = readRequest(rest); next; next = readRequest(rest)) {
        rest = rest.subarray(next.end);
        pod.requests.push(next.request);
        pod.answer(socket, next.request);
      }
    });
  };
  const server: Server = options.tls
    ? createSecureServer(options.tls, onConnection)
    : createServer({ noDelay: true }, onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, options.host ?? '127.0.0.1', resolve);
  });
  const pod: RawPod = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    requests: [],
    answer,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return pod;
}

function readRequest(bytes: Buffer): { request: RawRequest; end: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const end = headEnd + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  if (bytes.length < end) return undefined;
  return { request: { head, body: bytes.subarray(headEnd + 4, end) }, end };
}
