import { join } from 'node:path';
import { openBlobs } from '../../../src/platform/blobs/open-blobs.ts';
import { openDatabase } from '../stores/open-database.ts';
import { openPlainVectors } from './plain-vectors.ts';

/** What is stored and belongs to no document, and what belongs to one and is missing; empty if all is in order. */
export async function findLeftovers(folder: string, url: string): Promise<string[]> {
  const database = await openDatabase({ url });
  const vectors = openPlainVectors(join(folder, 'vectors.db'));
  const blobs = await openBlobs({
    url: `file:${join(folder, 'blobs')}`,
    s3: { region: 'none', force_path_style: true },
  });
  const found: string[] = [];
  try {
    const bots = await database.query.selectFrom('bots').selectAll().execute();
    const rows = await database.query.selectFrom('bot_documents').selectAll().execute();
    const chunks = await database.query.selectFrom('bot_chunks').select(['document', 'id']).execute();
    const perVersion = Map.groupBy(chunks, ({ document }) => document);
    for (const { bot, name, state } of rows) {
      if (state !== 'active' && state !== 'error') found.push(`${bot}: ${name} is ${state}`);
    }
    for (const { id, state } of bots) if (state !== 'ready') found.push(`${id} is ${state}`);
    const files = new Set(rows.map(({ blob }) => blob));
    for await (const { key } of blobs.list('')) {
      if (!files.delete(key)) found.push(`nobody knows the file ${key}`);
    }
    for (const key of files) if (key !== null) found.push(`the file ${key} is missing`);
    for (const { name, points } of await vectors.list()) {
      const bot = bots.find(({ collection }) => collection === name);
      if (name === 'botsinfo' && points !== bots.length)
        found.push(`botsinfo has ${points} of ${bots.length} bots`);
      if (name !== 'botsinfo' && !bot) found.push(`nobody knows the collection ${name}`);
    }
    for (const { id, collection } of bots) {
      const points = await vectors.count(collection);
      for (const row of rows.filter(({ bot, state }) => bot === id && state === 'active')) {
        const [expected, made, stored] = [row.chunks, perVersion.get(row.id)?.length, points.get(row.id)];
        if (expected !== made || expected !== stored) {
          found.push(`${id}: ${row.name} has ${made} chunks and ${stored} points of ${expected}`);
        }
        points.delete(row.id);
        perVersion.delete(row.id);
      }
      for (const group of points.keys()) found.push(`${id} has points of the unknown version ${group}`);
    }
    for (const version of perVersion.keys()) found.push(`there are chunks of the unknown version ${version}`);
    const open = await database.query
      .selectFrom('work_items')
      .select(['name', 'state'])
      .where('state', 'in', ['CREATED', 'RUNNING', 'FAILED'])
      .execute();
    for (const { name, state } of open) found.push(`${name} is ${state}`);
  } finally {
    await vectors.close();
    await database.close();
    await blobs.close();
  }
  return found;
}
