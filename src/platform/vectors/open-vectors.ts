import { join } from 'node:path';
import type { Logger } from '../telemetry/logger.ts';
import { openEmbeddedVectors } from './embedded/embedded-vectors.ts';
import type { VectorSettings } from './settings.ts';
import type { VectorStore } from './vector-store.ts';

/** Opens the configured store. It connects or opens files on first use, so a Qdrant server may start later. */
export async function openVectors(
  { url, api_key, timeout, memory, idle }: VectorSettings,
  { dataDir, logger }: { dataDir: string; logger: Logger },
): Promise<VectorStore> {
  if (url === undefined)
    return openEmbeddedVectors({ folder: join(dataDir, 'vectors'), memory, idle }, { logger });
  const { openQdrantVectors } = await import('./qdrant/qdrant-vectors.ts');
  return openQdrantVectors({ url, api_key, timeout });
}
