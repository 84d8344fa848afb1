import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../test/testkit/random.ts';
import {
  DIMENSIONS,
  isRemoved,
  POINTS_PER_GROUP,
  pointsOf,
} from '../../../../test/testkit/stores/vector-writer.ts';
import { randomVector, terms } from '../../../../test/testkit/stores/vectors.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import type { Point, VectorStore } from '../vector-store.ts';
import { openEmbeddedVectors } from './embedded-vectors.ts';

const writer = join(import.meta.dirname, '../../../../test/testkit/stores/vector-writer.ts');
let folder: string;
let stores: VectorStore[];
let children: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-vectors-'));
  stores = [];
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

function open(settings: { memory?: number; logger?: ReturnType<typeof silentLogger> } = {}): VectorStore {
  const { memory = 2 ** 30, logger = silentLogger() } = settings;
  const store = openEmbeddedVectors({ folder, memory, idle: 60_000 }, { logger });
  stores.push(store);
  return store;
}

/** Starts a process that writes, and collects what it has confirmed. */
function startWriter(first: number, groups = Number.POSITIVE_INFINITY) {
  const child = spawn(process.execPath, [writer, folder, 'bot', String(first), String(groups)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const exited = once(child, 'exit');
  return { child, exited, lines: createInterface({ input: child.stdout as NodeJS.ReadableStream }) };
}

/** Finds the points of a group by their vectors and by their terms. */
async function findsGroup(store: VectorStore, group: number): Promise<number> {
  const [first] = pointsOf(group);
  const byTerm = await store.search('bot', { terms: Uint32Array.of(group), limit: 100 });
  const vector = first?.vector as Float32Array;
  const byVector = await store.search('bot', { terms: new Uint32Array(), vector, limit: 1 });
  const found = byVector.some((hit) => hit.id === first?.id && (hit.dense ?? 0) > 0.9999);
  expect(found).toBe(byTerm.length > 0);
  return byTerm.length;
}

describe('the embedded vector store', () => {
  it('opens nothing before its first use, and nothing to look whether it is ready', async () => {
    rmSync(folder, { recursive: true });
    const store = open();
    await store.close();
    expect(() => statSync(folder)).toThrow('ENOENT');
    await open().check();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('loses nothing that it confirmed when it is killed, and brings nothing back', async () => {
    const confirmed = new Map<number, boolean>();
    for (let round = 0; round < 4; round++) {
      const { child, exited, lines } = startWriter(round * 100_000);
      let count = 0;
      for await (const line of lines) {
        confirmed.set(Number(line.slice(1)), line.startsWith('+'));
        if (++count === 25 + round * 13) child.kill('SIGKILL');
      }
      await exited;
    }
    const store = open();
    const counts = await store.count('bot');
    for (const [group, present] of confirmed) {
      // The writer may have been killed between the removal and its confirmation.
      if (present && isRemoved(group) && !counts.has(group)) continue;
      expect(counts.get(group) ?? 0, `group ${group}`).toBe(present ? POINTS_PER_GROUP : 0);
      if (group % 7 === 0) expect(await findsGroup(store, group)).toBe(present ? POINTS_PER_GROUP : 0);
    }
    expect(confirmed.size).toBeGreaterThan(60);
  });

  it('shows what another process writes and removes', async () => {
    const store = open();
    await store.ensure('bot', { dimensions: DIMENSIONS });
    await store.upsert('bot', [...pointsOf(1), ...pointsOf(2)]);
    expect(await findsGroup(store, 1)).toBe(POINTS_PER_GROUP);
    const { lines, exited } = startWriter(1_000, 12);
    let own = 2_000;
    for await (const line of lines) {
      const group = Number(line.slice(1));
      if (!line.startsWith('+')) expect(await findsGroup(store, group)).toBe(0);
      else if (!isRemoved(group)) expect(await findsGroup(store, group)).toBe(POINTS_PER_GROUP);
      await store.upsert('bot', pointsOf(own));
      expect(await findsGroup(store, own++)).toBe(POINTS_PER_GROUP);
    }
    await exited;
    const counts = await store.count('bot');
    const expected = Array.from({ length: 12 }, (_, index) => 1_000 + index).filter((it) => !isRemoved(it));
    for (const group of [1, 2, ...expected]) expect(counts.get(group)).toBe(POINTS_PER_GROUP);
    expect(await findsGroup(store, 2)).toBe(POINTS_PER_GROUP);
  });

  it('notices that another process has dropped or replaced a collection', async () => {
    const [one, other] = [open(), open()];
    await one.ensure('bot', { dimensions: DIMENSIONS });
    await one.upsert('bot', pointsOf(1));
    expect(await findsGroup(other, 1)).toBe(POINTS_PER_GROUP);
    await one.drop('bot');
    expect(await other.count('bot')).toEqual(new Map());
    await expect(other.upsert('bot', pointsOf(2))).rejects.toMatchObject({ name: 'NotFound' });
    await one.ensure('bot', { dimensions: DIMENSIONS });
    await one.upsert('bot', pointsOf(3));
    await other.upsert('bot', pointsOf(4));
    for (const store of [one, other]) {
      expect(await store.count('bot')).toEqual(new Map([3, 4].map((group) => [group, POINTS_PER_GROUP])));
      expect(await findsGroup(store, 1)).toBe(0);
      expect(await findsGroup(store, 4)).toBe(POINTS_PER_GROUP);
    }
    await other.copy('bot', 'second');
    await one.remove('bot', [3]);
    await other.copy('second', 'bot');
    expect(await findsGroup(one, 3)).toBe(POINTS_PER_GROUP);
  });

  it('leaves no trace of removed points in its files', async () => {
    const store = open();
    await store.ensure('bot', { dimensions: DIMENSIONS });
    const random = seededRandom(3);
    const secret: Point = {
      id: 0x7a_6b_5c_4d,
      group: 0x51_62_73_04,
      vector: randomVector(random, DIMENSIONS),
      sentences: [randomVector(random, DIMENSIONS), randomVector(random, DIMENSIONS)],
      terms: terms(0xde_ad_be_ef, 0xca_fe_ba_be),
    };
    await store.upsert('bot', pointsOf(1));
    await store.upsert('bot', [secret]);
    await store.upsert('bot', [{ ...secret, terms: terms(0xca_fe_ba_be, 0xf0_0d_f0_0d) }]);
    await store.upsert('bot', pointsOf(2));
    const traces = [
      bytes(Uint32Array.of(0xde_ad_be_ef)),
      bytes(Uint32Array.of(0xca_fe_ba_be)),
      bytes(Uint32Array.of(0xf0_0d_f0_0d)),
      bytes((secret.vector as Float32Array).subarray(0, 3)),
      Buffer.from('7a6b5c4d', 'hex'),
      Buffer.from('51627304', 'hex'),
    ];
    expect(tracesIn(folder, traces)).not.toEqual([]);
    await store.copy('bot', 'copy');
    expect(await store.remove('bot', [secret.group])).toBe(1);
    await store.drop('copy');
    expect(tracesIn(folder, traces)).toEqual([]);
    expect(readdirSync(folder).filter((file) => file.startsWith('copy') || file.startsWith('.'))).toEqual([]);
    expect(statSync(join(folder, 'bot.sqlite')).mode & 0o077).toBe(0);
  });

  it('reclaims the memory of removed points, and finds the others', async () => {
    const store = open();
    await store.ensure('bot', { dimensions: DIMENSIONS });
    const groups = Array.from({ length: 500 }, (_, index) => index + 1);
    await store.upsert('bot', groups.flatMap(pointsOf));
    expect(await findsGroup(store, 500)).toBe(POINTS_PER_GROUP);
    await store.remove('bot', groups.slice(0, 300));
    for (const group of [301, 400, 500]) expect(await findsGroup(store, group)).toBe(POINTS_PER_GROUP);
    expect(await findsGroup(store, 300)).toBe(0);
    await store.upsert('bot', pointsOf(300));
    expect(await findsGroup(store, 300)).toBe(POINTS_PER_GROUP);
    const [all] = [await store.search('bot', { terms: Uint32Array.of(1_000_000), limit: 9_999 })];
    expect(new Set(all.map(({ id }) => id)).size).toBe(201 * POINTS_PER_GROUP);
  });

  it('closes collections for which there is no memory, and opens them again', async () => {
    const store = open({ memory: 0 });
    for (const name of ['bot', 'other']) await store.ensure(name, { dimensions: DIMENSIONS });
    for (let group = 0; group < 6; group++) {
      await store.upsert('bot', pointsOf(group));
      expect(await findsGroup(store, group)).toBe(POINTS_PER_GROUP);
      await store.search('other', { terms: Uint32Array.of(1), limit: 1 });
      expect(readdirSync(folder).sort()).not.toContain('bot.sqlite-wal');
    }
    expect((await store.count('bot')).size).toBe(6);
  });

  it.each<[string, (file: string) => void]>([
    ['cut off', (file) => truncateSync(file, 30_000)],
    ['empty', (file) => truncateSync(file, 0)],
    ['no database', (file) => writeFileSync(file, 'Lorem ipsum '.repeat(9_000))],
    ['overwritten in the middle', (file) => overwrite(file, 24_576, Buffer.alloc(40_000, 0xa5))],
    [
      'changed in one byte of a point',
      (file) => overwrite(file, readFileSync(file).indexOf(termsInFile(7)) + 2, Buffer.from([9])),
    ],
  ])('removes a file that is %s, so that its points can be made again', async (_, damage) => {
    const before = open();
    await before.ensure('bot', { dimensions: DIMENSIONS });
    await before.ensure('healthy', { dimensions: DIMENSIONS });
    await before.upsert('bot', Array.from({ length: 100 }, (_, group) => pointsOf(group)).flat());
    await before.close();
    damage(join(folder, 'bot.sqlite'));
    const logged: unknown[] = [];
    const logger = silentLogger();
    logger.error = ((fields: unknown) => void logged.push(fields)) as typeof logger.error;
    const store = open({ logger });
    expect(await store.search('bot', { terms: Uint32Array.of(1), limit: 5 })).toEqual([]);
    expect(await store.count('bot')).toEqual(new Map());
    expect(logged).toMatchObject([{ collection: 'bot' }]);
    await expect(store.upsert('bot', pointsOf(1))).rejects.toMatchObject({ name: 'NotFound' });
    expect((await store.list()).map(({ name }) => name)).toEqual(['healthy']);
    await store.ensure('bot', { dimensions: DIMENSIONS });
    await store.upsert('bot', pointsOf(1));
    expect(await findsGroup(store, 1)).toBe(POINTS_PER_GROUP);
  });

  it('clears what a killed process left unfinished, and leaves what a living one makes', async () => {
    const files = ['.new-999999999-1-0', `.new-${process.pid}-1-0`];
    for (const file of files) writeFileSync(join(folder, file), 'x');
    expect(await open().list()).toEqual([]);
    expect(readdirSync(folder)).toEqual([files[1]]);
  });

  it('says that its folder is no folder', async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    const store = open();
    await expect(store.ensure('bot', { dimensions: 3 })).rejects.toMatchObject({ name: 'InternalFault' });
    await expect(store.check()).rejects.toMatchObject({ name: 'InternalFault' });
    rmSync(folder);
    mkdirSync(folder);
    await store.ensure('bot', { dimensions: 3 });
  });
});

const bytes = (array: Uint32Array | Float32Array) =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);

/** The terms of the points of a group, as they are stored. */
const termsInFile = (group: number) => bytes(Uint32Array.of(group, 1_000_000));

function tracesIn(directory: string, traces: readonly Buffer[]): string[] {
  return readdirSync(directory).flatMap((file) => {
    const content = readFileSync(join(directory, file));
    return traces
      .filter((trace) => content.includes(trace))
      .map((trace) => `${file}: ${trace.toString('hex')}`);
  });
}

function overwrite(file: string, position: number, content: Buffer): void {
  expect(position).toBeGreaterThan(2);
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, content, 0, content.length, position);
  closeSync(descriptor);
}
