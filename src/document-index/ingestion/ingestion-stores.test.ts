import { afterAll, beforeAll, expect, it } from 'vitest';
import { addBot, addVersion } from '../../../test/testkit/document-index/bot-rows.ts';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import type { Database } from '../../platform/database/database.ts';
import { chunksFrom, deleteSomeChunks, insertChunks } from './chunks-store.ts';
import { readOutline } from './profile/outline-store.ts';
import {
  changeBot,
  changePrepared,
  deleteVersion,
  findBot,
  findVersion,
  isBlobShared,
  livingVersions,
  lockBot,
  versionsById,
} from './versions/versions-store.ts';

describeOnEachDatabase('the stores of ingestion', (databases) => {
  let database: Database;
  let [first, second] = [0, 0];
  beforeAll(async () => {
    database = await openDatabase({ url: await databases.create() });
    await addBot(database, 'b');
    first = await addVersion(database, {
      bot: 'b',
      name: 'a',
      blob: 'one',
      title: 'A',
      languages_json: '["rus"]',
    });
    second = await addVersion(database, { bot: 'b', name: 'b', blob: 'one' });
  });
  afterAll(() => database?.close());

  it('changes a version only while it is being prepared', async () => {
    expect(await changePrepared(database, first, { state: 'processing', chunks: 5 })).toBe(true);
    expect(await changePrepared(database, first, { state: 'built' })).toBe(true);
    expect(await changePrepared(database, first, { embedded: 1 })).toBe(false);
    expect(await changePrepared(database, 999, { embedded: 1 })).toBe(false);
    expect(await findVersion(database, first)).toMatchObject({ id: first, state: 'built', chunks: 5 });
    expect((await livingVersions(database, 'b')).map(({ id }) => id)).toEqual([first]);
    expect((await versionsById(database, 'b', [first, second])).length).toBe(2);
    expect(await versionsById(database, 'constructor', [first])).toEqual([]);
  });

  it('reads and deletes chunks in parts', async () => {
    const chunk = {
      bot: 'b',
      document: first,
      kind: 'text' as const,
      context: '',
      markdown: null,
      page: null,
    };
    const rows = Array.from({ length: 5 }, (_, position) => ({
      ...chunk,
      position,
      text: `text ${position}`,
      headings_json: JSON.stringify([`Heading ${position % 2}`]),
      segments_json: '[]',
      language: 'rus',
    }));
    await insertChunks(database, rows);
    await insertChunks(database, []);
    expect((await chunksFrom(database, first, 2, 2)).map(({ position }) => position)).toEqual([2, 3]);
    expect(await readOutline(database, 'b', 'story')).toEqual({
      userStory: 'story',
      language: 'rus',
      languages: ['rus'],
      documents: [{ title: 'A', headings: ['Heading 0', 'Heading 1'], language: 'rus' }],
      count: 1,
    });
    expect(await deleteSomeChunks(database, first, 3)).toBe(3);
    expect(await deleteSomeChunks(database, first, 3)).toBe(2);
    expect(await deleteSomeChunks(database, first, 3)).toBe(0);
  });

  it('knows which files are shared, and removes rows', async () => {
    expect(await isBlobShared(database, 'one', [first])).toBe(true);
    expect(await isBlobShared(database, 'one', [first, second])).toBe(false);
    await deleteVersion(database, second);
    expect(await findVersion(database, second)).toBeUndefined();
  });

  it('locks a bot', async () => {
    const change = database.transaction(async (session) => {
      const bot = await lockBot(session, 'b');
      await changeBot(session, bot.id, { embeddings_model: 'm', dimensions: 3 });
    });
    await change;
    expect(await findBot(database, 'b')).toMatchObject({ embeddings_model: 'm', dimensions: 3 });
    await expect(lockBot(database, 'constructor')).rejects.toMatchObject({ name: 'NotFound' });
  });
});
