import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../contracts/actor.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { AuditAction } from '../../contracts/management/audit.ts';
import { Conflict } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { HubModel } from '../catalog/hub-model.ts';
import type { ModelLibrary } from './model-library.ts';

export interface AddDependencies {
  database: Database;
  clock: Clock;
  queue: Pick<WorkQueue, 'enqueue'>;
  catalog: Catalog;
  /** Short names of models on the hub. */
  hubModels: readonly HubModel[];
  library: Pick<ModelLibrary, 'find'>;
}

/** What the work of kind DOWNLOAD is told. */
export type DownloadPayload =
  | { from: 'hub'; model_id: string; allow_pickle: boolean }
  | { from: 'catalog'; model_id: string }
  | { from: 'folder'; model_id: string; folder: string };

interface Download {
  action: Extract<AuditAction, 'model.add' | 'model.import'>;
  payload: DownloadPayload;
  /** What no other job may work on at the same time. */
  key: string;
}

/** While a model is being added, the same request again returns the job that does it; a different one is a 409. */
export async function startDownload(
  { database, clock, queue }: AddDependencies,
  actor: Actor,
  { action, payload, key }: Download,
): Promise<WorkItem> {
  const { model_id, ...details } = payload;
  const item = await database.transaction(async (session) => {
    const { joined, ...enqueued } = await queue.enqueue(
      {
        kind: 'DOWNLOAD',
        name: `${payload.from === 'folder' ? 'IMPORT' : 'DOWNLOAD'}_${model_id}`,
        payload,
        subject: model_id,
        uniqueKey: `download:${model_id}`,
        exclusiveKeys: [key],
      },
      session,
    );
    if (joined) {
      if (isDeepStrictEqual(enqueued.payload, payload)) return enqueued;
      throw new Conflict(`'${model_id}' is already being added by another job`, { code: 'model_busy' });
    }
    await recordAction({ session, clock }, actor, {
      action,
      subject: model_id,
      details: { ...details, job: enqueued.id },
      outcome: 'accepted',
    });
    return enqueued;
  });
  // The specification has the job run from the moment it is accepted; it may in fact wait for its turn.
  return item.state === 'CREATED' ? { ...item, state: 'RUNNING' } : item;
}

/** What came from the hub or a folder can be fetched again; an adapter that was trained here can't. */
export async function refuseTaken(library: AddDependencies['library'], id: string): Promise<void> {
  if ((await library.find(id))?.source !== 'training') return;
  throw new Conflict(`the name '${id}' is taken by an adapter that was trained here`);
}

/** One download per repository of the hub at a time: its models share files. */
export const repositoryKey = (name: string) => `repository:${name}`;

export const modelKey = (id: string) => `model:${id}`;
