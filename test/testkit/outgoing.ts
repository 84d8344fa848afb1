import { Resolver } from 'node:dns/promises';
import type { RequestListener } from 'node:http';
import { readBytes } from '../../src/platform/outgoing/answers/read-answer.ts';
import { createOutgoing, type OutgoingDependencies } from '../../src/platform/outgoing/create-outgoing.ts';
import type { OutgoingRequest } from '../../src/platform/outgoing/outgoing.ts';
import { startNameServer } from './machine/name-server.ts';
import { startWebServer, type WebServer } from './sources/web-server.ts';

/** Servers, name servers and guarded clients of a test file, closed after each of its tests. */
export function outgoingTests() {
  const closers: (() => unknown)[] = [];
  return {
    closers,
    async close(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close();
    },
    async serve(listener: RequestListener, at: { host?: string; port?: number } = {}): Promise<WebServer> {
      const server = await startWebServer(listener, at);
      closers.push(() => server.close());
      return server;
    },
    open(allow: string[] = [], more: Partial<OutgoingDependencies> = {}) {
      const outgoing = createOutgoing({
        settings: { allow, time_limit: 60_000, longest_wait: 60_000 },
        wait: async () => {},
        ...more,
      });
      closers.push(() => outgoing.close());
      const ask = async (url: string, request: Partial<OutgoingRequest> = {}) => {
        const answer = await outgoing.open({ url, limit: 2 ** 20, ...request }, new AbortController().signal);
        return { ...answer, text: (await readBytes(answer)).toString() };
      };
      return { outgoing, ask };
    },
    /** A resolver that asks a name server of the test's own. */
    async names(answer: (name: string, times: number) => string[]) {
      const server = await startNameServer({ port: 0, answer });
      closers.push(() => server.close());
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${server.port}`]);
      const lookup = async (name: string) =>
        (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }));
      return { lookup, asked: server.asked };
    },
  };
}

export const hello: RequestListener = (_, response) => response.end('hello');
