import { expect, it } from 'vitest';
import type { BotQuery } from '../contracts/retrieval.ts';
import { refuseUnseen } from './refuse-unseen.ts';
import type { BotRow } from './tables.ts';

it('refuses until this process sees vectors of the bot, and looks only once then', async () => {
  const found = { passages: [], confidence: 0, answerable: false, language: 'eng' };
  const points = new Map<number, number>();
  let looks = 0;
  const count = async () => {
    looks++;
    return points;
  };
  const search = refuseUnseen(async () => found, { count });
  const ask = () => search({ id: 'hr', collection: 'hr' } as BotRow, {} as BotQuery);
  await expect(ask()).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('set vectors.url'),
  });
  points.set(1, 5);
  expect([await ask(), await ask(), looks]).toEqual([found, found, 2]);
});
