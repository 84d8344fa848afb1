import type { Point, PointQuery } from '../../src/platform/vectors/vector-store.ts';
import { type Random, seededRandom } from '../../test/testkit/random.ts';
import { randomTerms } from '../../test/testkit/stores/vectors.ts';

export const CHUNKS_PER_DOCUMENT = 50;
const DIMENSIONS = 384;
const TOPICS = 500;
/** How far a chunk may lie from the centre of its topic: embeddings of one subject have cosines of about 0.6. */
const SPREAD = 0.8;
const VOCABULARY = 300_000;
/** Words per chunk without stop words; a thousand characters have about this many. */
const WORDS = 110;
const QUESTION_WORDS = 8;
const SENTENCES = 6;

/** Made-up chunks: vectors in clusters, and terms whose frequencies follow Zipf's law. The same ones every time. */
export function createCorpus({ sentences }: { sentences: boolean }) {
  const random = seededRandom(1);
  const topics = Array.from({ length: TOPICS }, () => gaussian(random));
  const near = (topic: Float32Array, random: Random) => {
    const noise = gaussian(random);
    return unit(topic.map((value, index) => value + SPREAD * (noise[index] as number)));
  };
  const point = (id: number): Point => {
    const random = seededRandom(id + 1_000_003);
    const topic = topics[Math.floor(id / CHUNKS_PER_DOCUMENT) % TOPICS] as Float32Array;
    return {
      id,
      group: Math.floor(id / CHUNKS_PER_DOCUMENT),
      vector: near(topic, random),
      sentences: sentences ? Array.from({ length: SENTENCES }, () => near(topic, random)) : undefined,
      terms: randomTerms(random, VOCABULARY, Math.round(WORDS * (0.4 + 1.2 * random.share()))),
      payload: { title: `Document ${Math.floor(id / CHUNKS_PER_DOCUMENT)}`, text: 'x'.repeat(1_000) },
    };
  };
  return {
    dimensions: DIMENSIONS,
    termsPerChunk: point(0).terms.terms.length,
    points: (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => point(first + index)),
    query(number: number, limit: number): PointQuery {
      const random = seededRandom(number + 77);
      return {
        vector: near(topics[random.below(TOPICS)] as Float32Array, random),
        terms: randomTerms(random, VOCABULARY, QUESTION_WORDS).terms,
        limit,
      };
    },
  };
}

function gaussian(random: Random): Float32Array {
  const vector = Float32Array.from(
    { length: DIMENSIONS },
    () => Math.sqrt(-2 * Math.log(1 - random.share())) * Math.cos(2 * Math.PI * random.share()),
  );
  return unit(vector);
}

function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
