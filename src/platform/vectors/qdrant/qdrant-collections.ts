import { Conflict } from '../../../contracts/problems.ts';
import { wrongDimensions } from '../checked-points.ts';
import type { QdrantClient } from './qdrant-client.ts';
import { collectionConfig, DENSE, type QdrantPoint, TERMS } from './qdrant-points.ts';

interface CollectionAnswer {
  config: {
    params: { vectors?: Record<string, { size?: number }>; sparse_vectors?: Record<string, unknown> };
  };
}

/** Points per request while copying. One of many sentences can take 100 kB. */
const PAGE = 64;

/** The dimensions of a collection; undefined where there is none, or where it isn't one of ours. */
export async function dimensionsOf(
  client: QdrantClient,
  collection: string,
): Promise<{ dimensions: number | null; ours: boolean } | undefined> {
  const answer = (await client.call('GET', `/collections/${collection}`)) as CollectionAnswer | undefined;
  if (!answer) return undefined;
  const { vectors = {}, sparse_vectors: sparse = {} } = answer.config.params;
  const dense = Object.hasOwn(vectors, DENSE) ? vectors[DENSE] : undefined;
  return { dimensions: dense?.size ?? null, ours: Object.hasOwn(sparse, TERMS) };
}

export async function ensureCollection(
  client: QdrantClient,
  collection: string,
  dimensions: number | null,
): Promise<void> {
  const existing = await dimensionsOf(client, collection);
  if (!existing) {
    const created = await createCollection(client, collection, dimensions).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Conflict) return false;
        throw error;
      },
    );
    // Another process has created it in between, or an answer was lost on its way.
    return created ? undefined : ensureCollection(client, collection, dimensions);
  }
  if (!existing.ours)
    throw new Conflict(`the collection '${collection}' on the Qdrant server belongs to another program`);
  // Killed between creating the collection and its index.
  await indexGroups(client, collection);
  if (dimensions === null || dimensions === existing.dimensions) return;
  if (existing.dimensions !== null) throw wrongDimensions(collection, existing.dimensions, dimensions);
  await addDimensions(client, collection, dimensions);
}

export async function createCollection(
  client: QdrantClient,
  collection: string,
  dimensions: number | null,
): Promise<void> {
  await client.call('PUT', `/collections/${collection}`, collectionConfig(dimensions));
  await indexGroups(client, collection);
}

export async function dropCollection(client: QdrantClient, collection: string): Promise<void> {
  await client.call('DELETE', `/collections/${collection}`);
}

export async function copyPoints(client: QdrantClient, from: string, to: string): Promise<void> {
  let offset: unknown;
  do {
    const page = (await client.call('POST', `/collections/${from}/points/scroll`, {
      limit: PAGE,
      offset,
      with_payload: true,
      with_vector: true,
    })) as { points: QdrantPoint[]; next_page_offset: unknown } | undefined;
    if (page?.points.length) await putPoints(client, to, page.points);
    offset = page?.next_page_offset ?? undefined;
  } while (offset !== undefined);
}

/** Returns whether there is such a collection. */
export async function putPoints(
  client: QdrantClient,
  collection: string,
  points: readonly QdrantPoint[],
): Promise<boolean> {
  const answer = await client.call('PUT', `/collections/${collection}/points?wait=true`, { points });
  return answer !== undefined;
}

async function indexGroups(client: QdrantClient, collection: string): Promise<void> {
  await client.call('PUT', `/collections/${collection}/index?wait=true`, {
    field_name: 'group',
    field_schema: 'integer',
  });
}

/** A collection can't get another vector later, so its points move to a new one and back under the old name. */
async function addDimensions(client: QdrantClient, collection: string, dimensions: number): Promise<void> {
  const temporary = `${collection}.widened`;
  await dropCollection(client, temporary);
  await createCollection(client, temporary, dimensions);
  await copyPoints(client, collection, temporary);
  await dropCollection(client, collection);
  await createCollection(client, collection, dimensions);
  await copyPoints(client, temporary, collection);
  await dropCollection(client, temporary);
}
