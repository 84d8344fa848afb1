import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';
import { Unreadable } from '../unreadable.ts';
import { cyrillicEncoding } from './cyrillic-encoding.ts';

export interface DecodedText {
  text: string;
  encoding: string;
}

const sampleBytes = 1 << 16;

/** Decodes text. The caller's encoding wins, then a byte order mark, then UTF-8 if it fits, then what the file declares. */
export function decodeText(
  bytes: Buffer,
  { encoding, declared }: { encoding?: string; declared?: string } = {},
): DecodedText {
  if (encoding) return decoded(bytes, decoderFor(encoding) ?? unknownEncoding(encoding));
  const marked = byMark(bytes) ?? byZeros(bytes);
  if (marked) return decoded(bytes, new TextDecoder(marked));
  const asUtf8 = new TextDecoder('utf-8').decode(bytes);
  if (isUtf8(asUtf8)) return { text: asUtf8, encoding: 'utf-8' };
  const known = declared && !/^utf-?8$/i.test(declared) ? decoderFor(declared) : undefined;
  return decoded(bytes, known ?? new TextDecoder(guessed(bytes)));
}

const decoded = (bytes: Buffer, decoder: TextDecoder): DecodedText => ({
  text: decoder.decode(bytes),
  encoding: decoder.encoding,
});

/** Names that people use and that the standard lacks. */
const aliases = new Map([
  ['cp1251', 'windows-1251'],
  ['cp1252', 'windows-1252'],
  ['cp866', 'ibm866'],
  ['866', 'ibm866'],
  ['1251', 'windows-1251'],
  ['latin-1', 'latin1'],
  ['utf8', 'utf-8'],
  ['utf_8', 'utf-8'],
  ['utf-8-sig', 'utf-8'],
  ['utf_16', 'utf-16'],
  ['maccyrillic', 'x-mac-cyrillic'],
]);

function decoderFor(label: string): TextDecoder | undefined {
  const name = label.trim().toLowerCase();
  try {
    return new TextDecoder(aliases.get(name) ?? name);
  } catch {
    return undefined;
  }
}

function unknownEncoding(label: string): never {
  throw new Unreadable('unsupported', `The encoding '${label.slice(0, 40)}' is not known.`);
}

function byMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** UTF-16 without a mark: every other byte of Latin text, and of spaces and line ends, is zero. */
function byZeros(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, 4_096);
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue;
    if (at % 2 === 0) even++;
    else odd++;
  }
  const enough = sample.length / 20;
  if (odd > enough && even === 0) return 'utf-16le';
  if (even > enough && odd === 0) return 'utf-16be';
  return undefined;
}

/** A few broken bytes in a long text do not make it another encoding. */
function isUtf8(text: string): boolean {
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  if (broken === 0) return true;
  const whole = text.match(/[\u0080-\ufffc]/g)?.length ?? 0;
  return broken * 20 < whole;
}

function guessed(bytes: Buffer): string {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const start = Math.max(0, first - 256);
  const sample = bytes.subarray(start, start + sampleBytes);
  const cyrillic = cyrillicEncoding(sample);
  if (cyrillic) return cyrillic;
  for (const { name } of analyse(sample)) {
    if (decoderFor(name) && !/^utf-(?:8|16|32)/i.test(name)) {
      // Windows' extension of Latin-1 is what such files really are.
      return /^(?:iso-8859-1|ascii)$/i.test(name) ? 'windows-1252' : name;
    }
  }
  return 'windows-1252';
}
