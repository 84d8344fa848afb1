import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { NotFound } from '../../contracts/problems.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';

const Outcomes = z.array(z.object({ key: z.string(), passed: z.boolean() }));
type Outcomes = z.infer<typeof Outcomes>;

/** Which regression questions a bot passed in its last run. Commands are kept for a day, so it is remembered apart. */
export interface RegressionMemory {
  last(bot: string): Promise<Outcomes | undefined>;
  keep(bot: string, outcomes: Outcomes): Promise<void>;
  /** For the deletion of the bot. */
  forget(bot: string): Promise<void>;
}

/** Questions get new ids when they are replaced, so that a run is compared by their text; only its hash is kept. */
export const questionKey = (question: string): string =>
  createHash('sha256').update(question).digest('hex').slice(0, 32);

/** Keeps outcomes alone, no text of questions or documents. */
export function regressionMemory(blobs: Pick<BlobStore, 'get' | 'put' | 'delete'>): RegressionMemory {
  const keyOf = (bot: string) => `bots/${bot}/regression.json`;
  return {
    async last(bot) {
      try {
        const { body } = await blobs.get(keyOf(bot));
        const parsed = Outcomes.safeParse(JSON.parse(await text(body)));
        return parsed.data;
      } catch (error) {
        if (error instanceof NotFound || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
    async keep(bot, outcomes) {
      await blobs.put(keyOf(bot), [Buffer.from(JSON.stringify(outcomes))]);
    },
    forget: (bot) => blobs.delete(keyOf(bot)),
  };
}
