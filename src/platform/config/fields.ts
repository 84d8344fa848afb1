import { z } from 'zod';

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration: `250ms`, `30s`, `5m`, `1h`, `7d`, or a number of seconds. Parsed to milliseconds. */
export const duration = (longest = Number.POSITIVE_INFINITY) =>
  z
    .union([z.number().nonnegative(), z.string()])
    .transform((value, context) => {
      const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(String(value).trim());
      const milliseconds = match ? Number(match[1]) * (units[match[2] ?? 's'] ?? 1000) : Number.NaN;
      if (milliseconds <= longest) return milliseconds;
      const message = match ? 'expected at most 24d' : 'expected a duration such as 250ms, 30s, 5m, 1h or 7d';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ measure: 'duration' });

/** A duration that a timer measures. Node's timers fire at once where one is longer than 2^31 milliseconds. */
export const timedDuration = () => duration(24 * 86_400_000);

const multiples: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** A number of bytes: `32MiB`, `1GB`, or a plain number. */
export const byteSize = () =>
  z
    .union([z.number().int().nonnegative(), z.string()])
    .transform((value, context) => {
      const match = /^(\d+(?:\.\d+)?)\s*([kmg]i?b|b)?$/i.exec(String(value).trim());
      if (match) return Math.round(Number(match[1]) * (multiples[(match[2] ?? 'b').toLowerCase()] ?? 1));
      context.addIssue({ code: 'custom', message: 'expected a size such as 500KB, 32MiB or 1GiB' });
      return z.NEVER;
    })
    .meta({ measure: 'size' });

/** A string that is masked when the configuration is printed. */
export const secret = (shortest = 1) => z.string().min(shortest).meta({ secret: true });
