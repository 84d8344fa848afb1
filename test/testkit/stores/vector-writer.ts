/**
 * When run as a program, writes groups of points to an embedded collection until it is killed, removes every third of
 * them again, and prints what has been confirmed: `node test/testkit/stores/vector-writer.ts <folder> <collection> <first group> [<groups>]`.
 */

import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../../src/platform/vectors/embedded/embedded-vectors.ts';
import type { Point } from '../../../src/platform/vectors/vector-store.ts';
import { seededRandom } from '../random.ts';
import { randomVector, terms } from './vectors.ts';

export const DIMENSIONS = 16;
export const POINTS_PER_GROUP = 5;

/** A group determines its points. */
export function pointsOf(group: number): Point[] {
  const random = seededRandom(group);
  return Array.from({ length: POINTS_PER_GROUP }, (_, position) => ({
    id: group * POINTS_PER_GROUP + position,
    group,
    vector: randomVector(random, DIMENSIONS),
    terms: terms(group, 1_000_000),
  }));
}

export const isRemoved = (group: number) => group % 3 === 2;

async function write(folder: string, collection: string, first: number, groups: number): Promise<void> {
  const store = openEmbeddedVectors({ folder, memory: 2 ** 30, idle: 60_000 }, { logger: silentLogger() });
  await store.ensure(collection, { dimensions: DIMENSIONS });
  for (let group = first; group < first + groups; group++) {
    await store.upsert(collection, pointsOf(group));
    process.stdout.write(`+${group}\n`);
    if (!isRemoved(group)) continue;
    await store.remove(collection, [group]);
    process.stdout.write(`-${group}\n`);
  }
  await store.close();
}

if (import.meta.main) {
  const [folder = '', collection = '', first = '0', groups = 'Infinity'] = process.argv.slice(2);
  await write(folder, collection, Number(first), Number(groups));
}
