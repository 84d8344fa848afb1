import { join } from 'node:path';
import type { Logger } from '../telemetry/logger.ts';
import { openEmbeddedVectors } from './embedded/embedded-vectors.ts';
import type { VectorSettings } from './settings.ts';
import type { VectorStore } from './vector-store.ts';

/** Opens the configured store. It does nothing before its first use: a Qdrant server may start later. */
export async function openVectors(
  settings: VectorSettings,
  { dataDir, logger }: { dataDir: string; logger: Logger },
): Promise<VectorStore> {
  const { memory, idle } = settings;
  return openEmbeddedVectors({ folder: join(dataDir, 'vectors'), memory, idle }, { logger });
}
