import { z } from 'zod';

const units: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);
const shortest = 300;
const longest = 366 * 86_400;

/** How often a bot is synced with its sources: `30m`, `6h`, `1d`, or a number of seconds. Parsed to seconds. */
export const SyncEvery = z
  .codec(z.union([z.number(), z.string()]), z.int().min(shortest).max(longest), {
    decode: (value, context) => {
      const [, amount, unit = 's'] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])?$/.exec(String(value).trim()) ?? [];
      const seconds = Math.round(Number(amount) * (units.get(unit) ?? 1));
      if (seconds >= shortest && seconds <= longest) return seconds;
      context.issues.push({
        code: 'custom',
        input: value,
        message: 'must be a duration between 5m and 366d, such as 6h, or a number of seconds',
      });
      return z.NEVER;
    },
    encode: (seconds) => seconds,
  })
  .describe('Time between syncs with the sources: seconds, or a duration such as `6h`')
  .meta({ examples: ['6h', 21_600] });
export type SyncEvery = z.infer<typeof SyncEvery>;
