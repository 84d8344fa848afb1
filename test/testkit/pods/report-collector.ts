import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PodInfo } from '../../../src/contracts/dispatcher/pods.ts';

/** Stands in for a dispatcher: receives and stores reports of pods. */
export async function collectReports() {
  const reports: PodInfo[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end('{}');
    let body = '';
    for await (const chunk of request) body += chunk;
    reports.push(JSON.parse(body));
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
