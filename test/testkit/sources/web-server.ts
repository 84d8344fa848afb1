import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebServer {
  url: string;
  host: string;
  /** host:port, as the setting outgoing.allow takes it. */
  entry: string;
  port: number;
  /** The requests so far. */
  seen: Pick<IncomingMessage, 'url' | 'headers' | 'method'>[];
  close(): Promise<void>;
}

/** A web server on a loopback address. */
export async function startWebServer(
  listener: RequestListener,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number } = {},
): Promise<WebServer> {
  const seen: WebServer['seen'] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers, method: request.method });
    listener(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${actual}`,
    host,
    entry: `${host}:${actual}`,
    port: actual,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
