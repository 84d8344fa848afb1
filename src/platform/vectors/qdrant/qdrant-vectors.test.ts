import { afterAll, beforeAll, describe } from 'vitest';
import { type QdrantServer, qdrantBinary, startQdrant } from '../../../../test/testkit/qdrant.ts';
import { requirement } from '../../../../test/testkit/requirement.ts';
import { describeVectorStore } from '../../../../test/testkit/vector-store-suite.ts';
import { openQdrantVectors } from './qdrant-vectors.ts';

const qdrant = await requirement('qdrant', async () => void (await qdrantBinary()));

describe.skipIf(!qdrant.available)('Qdrant', () => {
  let server: QdrantServer;
  beforeAll(async () => {
    server = await startQdrant();
  });
  afterAll(() => server?.stop());

  const open = async () => openQdrantVectors({ url: server.url, api_key: server.apiKey, timeout: 30_000 });

  describeVectorStore('vectors on a Qdrant server', { open, assumedLength: 100 });
});
