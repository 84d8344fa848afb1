import { randomUUID } from 'node:crypto';
import type { Actor } from '../../contracts/actor.ts';
import type { Dataset } from '../../contracts/management/datasets.ts';
import { InvalidInput } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { DatasetRow } from '../tables.ts';
import { CheckedDataset } from './check-dataset.ts';
import { blobKey, type DatasetDependencies, describeDataset } from './dataset-record.ts';
import { insertDataset } from './datasets-store.ts';

interface Upload {
  name: string;
  description: string | undefined;
  content: AsyncIterable<Uint8Array>;
}

/** Stores the file unchanged, once every line has been checked. */
export async function uploadDataset(
  deps: DatasetDependencies,
  actor: Actor,
  upload: Upload,
): Promise<Dataset> {
  const { database, clock, blobs } = deps;
  const name = fileName(upload.name);
  const id = randomUUID();
  const checked = new CheckedDataset(upload.content, deps.datasetLimits);
  const { size, sha256 } = await blobs.put(blobKey({ id, name }), checked.pieces());
  const row: DatasetRow = {
    id,
    name,
    description: upload.description ?? null,
    examples: checked.examples,
    bytes: size,
    sha256,
    created_at: clock.now(),
  };
  await database.transaction(async (session) => {
    await insertDataset(session, row);
    await recordAction({ session, clock }, actor, {
      action: 'dataset.upload',
      subject: id,
      details: { name, examples: row.examples, bytes: size, sha256 },
    });
  });
  return describeDataset(deps, row);
}

/** The last part of the path that the client sent, short enough for any file system. */
function fileName(sent: string): string {
  const name = sent.normalize('NFC').split(/[/\\]/).at(-1)?.trim() ?? '';
  if (name === '' || /^\.+$/.test(name) || /\p{Cc}/u.test(name) || Buffer.byteLength(name) > 200) {
    throw new InvalidInput([
      { loc: ['body', 'file'], msg: 'the file needs a name of at most 200 bytes', type: 'value_error' },
    ]);
  }
  return name;
}
