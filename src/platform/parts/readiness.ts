import { sql } from 'kysely';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import type { VectorStore } from '../vectors/vector-store.ts';
import type { DiskReserve } from './disk-reserve.ts';

interface Checked {
  database: Database;
  blobs: Pick<BlobStore, 'check'>;
  disk: Pick<DiskReserve, 'check'>;
  /** The Qdrant server, where there is one. */
  vectors: Pick<VectorStore, 'check'> | undefined;
}

/** The checks of `/readyz` for what every part stands on. */
export const readinessOf = ({ database, blobs, disk, vectors }: Checked) => ({
  async blobs() {
    await blobs.check();
    return { ready: true };
  },
  async database() {
    await sql`select 1`.execute(database.query);
    return { ready: true, detail: database.dialect };
  },
  disk: () => disk.check(),
  ...(vectors
    ? { vectors: () => vectors.check().then(() => ({ ready: true, detail: 'qdrant' })) }
    : undefined),
});
