import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readCatalog } from '../../../src/models/catalog/catalog.ts';

/** A local hub that serves the catalog's models from a data folder, for first starts without a network. */
export async function startCatalogHub(dataFolder: string) {
  const files = new Map<string, string>();
  for (const model of readCatalog()) {
    for (const file of model.files) {
      const source = 'sources' in file ? file.sources[0] : undefined;
      if (!source || !('hub' in source)) continue;
      const local = join(dataFolder, 'models', model.id, file.path);
      if (existsSync(local))
        files.set(`/${source.hub}/resolve/${source.revision}/${source.file ?? file.path}`, local);
    }
  }
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const local = files.get(decodeURIComponent(request.url ?? ''));
    asked.push(request.url ?? '');
    if (!local) return response.writeHead(404).end();
    response.writeHead(200, { 'content-length': statSync(local).size });
    return createReadStream(local).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
