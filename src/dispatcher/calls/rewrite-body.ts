import type { ParsedRequest } from './parse-request.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;

const temperature = Buffer.from('"temperature":0.0,');
const stream = Buffer.from('"stream":false,');
const both = Buffer.concat([temperature, stream]);

/** Fills in the two defaults where they are absent, right after the opening brace; every other byte stays as it came. */
export function withDefaults(
  bytes: Buffer,
  { hasStream, hasTemperature }: Pick<ParsedRequest, 'hasStream' | 'hasTemperature'>,
): Buffer {
  if (hasStream && hasTemperature) return bytes;
  const added = hasStream ? temperature : hasTemperature ? stream : both;
  return insert(bytes, bytes.indexOf(openBrace) + 1, 0, added);
}

/** Puts another name in the place of the value of the outermost `model`; every other byte stays as it came. */
export function withModel(bytes: Buffer, name: string): Buffer {
  const place = findModel(bytes);
  return place
    ? insert(bytes, place.start, place.end - place.start, Buffer.from(JSON.stringify(name)))
    : bytes;
}

function insert(bytes: Buffer, at: number, replaced: number, added: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length - replaced + added.length);
  bytes.copy(result, 0, 0, at);
  added.copy(result, at);
  bytes.copy(result, at + added.length, at + replaced);
  return result;
}

/** Where the string after the last `"model":` of the outermost object stands, quotes included. */
function findModel(bytes: Buffer): { start: number; end: number } | undefined {
  let depth = 0;
  let found: { start: number; end: number } | undefined;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      const end = endOfString(bytes, at);
      if (depth === 1 && end - at === 7 && bytes.toString('latin1', at, end) === '"model"') {
        const start = bytes.indexOf(quote, end);
        if (isKey(bytes, end, start)) {
          found = { start, end: endOfString(bytes, start) };
          at = found.end - 1;
          continue;
        }
      }
      at = end - 1;
    } else if (byte === openBrace || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return found;
}

/** Whether only a colon and blanks lie between a key and the string that follows it. */
function isKey(bytes: Buffer, from: number, to: number): boolean {
  return /^\s*:\s*$/.test(bytes.toString('latin1', from, to));
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}
