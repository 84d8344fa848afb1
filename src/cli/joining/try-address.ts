import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { explainListening } from '../../platform/http/listen.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { ChosenAddress } from './choose-address.ts';
import { askReach, type PlatformToJoin } from './platform-client.ts';

/**
 * Listens where the pod will, and has the platform connect. A port that is taken and a firewall are noticed this way
 * before gigabytes are fetched and loaded. Returns the port.
 */
export async function tryAddress(
  platform: PlatformToJoin,
  podId: string,
  { host, advertised }: ChosenAddress,
  port: number,
): Promise<{ port: number; address: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(503, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ status: 'starting', pod_id: podId }));
  });
  server.listen(port, host);
  try {
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw new StartupError(explainListening(error, host, port));
    });
    const bound = (server.address() as AddressInfo).port;
    const address = advertised(bound);
    const { reachable, reason } = await askReach(platform, { pod_id: podId, pod_address: address });
    if (reachable) return { port: bound, address };
    throw new StartupError(
      `the platform can't reach this pod at ${address}: ${reason}; open the port or name another address with --advertise`,
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
