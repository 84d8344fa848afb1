import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutOfSpace } from '../../src/contracts/problems.ts';
import { reembedKind } from '../../src/document-index/command-work.ts';
import { form, type IndexPlatform, openIndexPlatform } from '../testkit/document-index/index-platform.ts';
import { until } from '../testkit/until.ts';

let folder: string;
let index: IndexPlatform;
let pause = 0;
const open = async () => {
  index = await openIndexPlatform({ folder, pace: () => pause });
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-index-recovery-'));
  pause = 0;
  await open();
});
afterEach(() => index.close());

const create = (bot: string, files: [string, string][]) =>
  index.done(bot, index.call('PUT', `/bot/${bot}`, form(files)));
const modelOf = async (bot: string) =>
  (
    await index.database.query
      .selectFrom('bots')
      .select('embeddings_model')
      .where('id', '=', bot)
      .executeTakeFirst()
  )?.embeddings_model;
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, number) => `paragraph ${number}`).join('\n\n');

describe('a new embeddings model', () => {
  it('embeds every bot again, one at a time, and makes way for commands', async () => {
    await create('one', [['a', paragraphs(100)]]);
    await create('two', [['a', paragraphs(3)]]);
    expect([await modelOf('one'), await modelOf('two')]).toEqual(['mini', 'mini']);
    pause = 20;
    index.models.name = 'large';
    index.models.dimensions = 8;
    index.modelChanged();
    const note = await until('a note in the record', async () => {
      const { notes } = (await index.call('GET', '/bot/one')).body;
      return notes.find((text: string) => text.includes('embedded again ('));
    });
    expect(note).toMatch(/^The bot is being embedded again \(\d+%\); until then the old vectors answer\.$/);
    expect((await index.call('GET', '/bot/two')).body.notes).toEqual([
      'The bot waits to be embedded again; until then the old vectors answer.',
    ]);
    const added = await index.done(
      'one',
      index.call('PUT', '/bot/one/document', form([['b', 'text']], {}, 'file')),
    );
    expect(added).toMatchObject({ status: 'complete' });
    expect(await modelOf('one')).toBe('mini');
    pause = 0;
    await index.idle();
    expect([await modelOf('one'), await modelOf('two')]).toEqual(['large', 'large']);
    expect([...(await index.vectors.count('one')).values()]).toEqual([100, 1]);
    const ended = await index.queue.list({ kinds: [reembedKind] });
    expect(ended.every(({ state }) => state === 'FINISHED')).toBe(true);
    expect((await index.call('GET', '/bot/one')).body.notes).toEqual([]);
  });

  it('makes lost points anew, also if it is served later than they are missed', async () => {
    await create('lost', [['a', 'text']]);
    await index.vectors.drop('lost');
    index.models.name = null;
    index.modelChanged();
    await until('an attempt', async () =>
      (await index.queue.list({ kinds: [reembedKind], subject: 'lost' })).some(
        ({ attempts }) => attempts > 0,
      ),
    );
    index.models.name = 'mini';
    await until('the points', async () => (await index.vectors.count('lost')).size === 1);
    await index.idle();
  });

  it('is adopted by bots that were created without one', async () => {
    index.models.name = null;
    await create('early', [['a', 'text']]);
    expect(await modelOf('early')).toBeNull();
    index.models.name = 'mini';
    index.modelChanged();
    await until('the model', async () => (await modelOf('early')) === 'mini');
    await index.idle();
  });
});

describe('a start', () => {
  it('rebuilds lost points, and removes what nobody knows', async () => {
    await create('help', [['a', paragraphs(4)]]);
    await index.vectors.remove('help', [...(await index.vectors.count('help')).keys()]);
    await index.blobs.put('index/help/stray', [Buffer.from('cut off')]);
    await index.vectors.remove('botsinfo', [...(await index.vectors.count('botsinfo')).keys()]);
    await index.database.query
      .insertInto('bot_documents')
      .values({
        ...(await index.database.query.selectFrom('bot_documents').selectAll().executeTakeFirstOrThrow()),
        id: undefined as never,
        state: 'processing',
        name: 'left by a command that was given up',
        command: 'unknown',
        blob: null,
      })
      .execute();
    await index.close(true);
    await open();
    await until('the points', async () => [...(await index.vectors.count('help')).values()][0] === 4);
    await index.idle();
    const { files, rows, collections } = await index.stored();
    expect(files).toHaveLength(1);
    expect(rows.map(({ name }) => name)).toEqual(['a']);
    expect(collections).toEqual([
      expect.objectContaining({ name: 'botsinfo', points: 1 }),
      expect.objectContaining({ name: 'help', points: 4 }),
    ]);
  });

  it('goes on with the commands of a process that was stopped', async () => {
    pause = 10;
    const { body } = await index.call(
      'PUT',
      '/bot/help',
      form([
        ['a', paragraphs(50)],
        ['b', 'b'],
      ]),
    );
    await until('the first chunks', async () => (await index.stored()).chunks.length > 3);
    await index.close(true);
    pause = 0;
    await open();
    expect(await index.ended('help', body.command_id)).toMatchObject({
      status: 'complete',
      result: { added: ['a', 'b'] },
    });
  });
});

it('a command waits while the disk is full, and then goes on', async () => {
  const { ingestion } = index;
  const ingest = ingestion.ingest.bind(ingestion);
  let refusals = 0;
  ingestion.ingest = async (input) => {
    if (refusals++ === 0) throw new OutOfSpace("the database's disk is full");
    return ingest(input);
  };
  expect(await create('full', [['a', 'text']])).toMatchObject({
    status: 'complete',
    result: { added: ['a'], failed: [] },
  });
  expect(refusals).toBe(2);
});

it('no file holds the text of a deleted document', async () => {
  const word = 'Brontosaurus';
  await create('help', [
    ['keep', 'other'],
    ['secret', `${word}\n\n${word} again`],
  ]);
  await index.done(
    'help',
    index.call('PUT', '/bot/help/document', form([['update', `${word} three`]], {}, 'file')),
  );
  expect(filesWith(word).length).toBeGreaterThan(1);
  await index.done(
    'help',
    index.call('PUT', '/bot/help/document', form([['update', 'harmless']], {}, 'file')),
  );
  await index.done('help', index.call('DELETE', '/bot/help/document/secret'));
  expect(filesWith(word)).toEqual([]);
  await create('other', [['secret', word]]);
  await index.done('other', index.call('DELETE', '/bot/other'));
  expect(filesWith(word)).toEqual([]);
});

function filesWith(word: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(word));
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));
