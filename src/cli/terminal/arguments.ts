import { InvalidArgumentError } from 'commander';

/** A repeatable option `name=path`. */
export function adapter(text: string, before: { name: string; path: string }[]) {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('expected name=path');
  const name = text.slice(0, at);
  if (before.some((other) => other.name === name))
    throw new InvalidArgumentError(`duplicate adapter name '${name}'`);
  return [...before, { name, path: text.slice(at + 1) }];
}

export function positiveInteger(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a positive integer');
}

export function finiteNumber(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('expected a number');
}

export function port(text: string): number {
  if (/^\d+$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('expected a number from 0 to 65535');
}

export function address(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('expected a URL such as http://127.0.0.1:5500');
}

const units: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Converts an age (`30m`, `2h`, `7d`), a date or a time to ISO 8601. A date means midnight in the local time zone. */
export function pastTime(text: string): string {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00` : text;
  const time = count ? Date.now() - Number(count) * (units.get(unit) ?? 0) : Date.parse(day);
  if ((count || /^\d{4}-/.test(text)) && Number.isFinite(time) && Math.abs(time) <= 8.64e15) {
    return new Date(time).toISOString();
  }
  throw new InvalidArgumentError('expected 30m, 2h, 7d, 2027-01-31 or 2027-01-31T18:00:00Z');
}
