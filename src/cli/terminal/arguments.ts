import { InvalidArgumentError } from 'commander';

/** `name=path`, repeated. */
export function adapter(text: string, before: { name: string; path: string }[]) {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('expected name=path');
  const name = text.slice(0, at);
  if (before.some((other) => other.name === name)) throw new InvalidArgumentError(`'${name}' is named twice`);
  return [...before, { name, path: text.slice(at + 1) }];
}

export function positiveInteger(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number above 0');
}

export function port(text: string): number {
  if (/^\d+$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('expected a number from 0 to 65535');
}

export function address(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('expected an address such as http://127.0.0.1:5500');
}
