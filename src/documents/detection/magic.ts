import type { FileType } from './file-types.ts';

/** Types with a signature at the start. Text formats and containers are told apart elsewhere. */
export function typeOfSignature(head: Buffer): FileType | undefined {
  const latin = head.toString('latin1', 0, 1_100);
  // Some PDF files have other bytes before their header; readers search the first kilobyte.
  if (latin.slice(0, 1_029).includes('%PDF-')) return 'pdf';
  if (latin.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (latin.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/.test(latin)) return 'tiff';
  if (latin.startsWith('RIFF') && latin.slice(8, 12) === 'WEBP') return 'webp';
  if (latin.slice(4, 8) === 'ftyp') return typeOfHeif(head, latin);
  if (/^GIF8[79]a/.test(latin)) return 'gif';
  if (latin.startsWith('BM') && head.length > 26 && head.readUInt32LE(6) === 0) return 'bmp';
  if (/^(?:\xef\xbb\xbf)?\s*\{\\rtf/.test(latin)) return 'rtf';
  return undefined;
}

/** The first brand is the main one, the others say what the file is compatible with. */
function typeOfHeif(head: Buffer, latin: string): FileType | undefined {
  const end = Math.min(head.readUInt32BE(0), 256);
  const [main = '', ...others] = latin.slice(8, end).match(/.{4}/gs) ?? [];
  if (/^avi[fs]/.test(main)) return 'avif';
  if (/^(?:hei[cxms]|hev[cxms])/.test(main)) return 'heic';
  if (!/^(?:mif|msf|miaf|MiHE|MiHB)/.test(main)) return undefined;
  return others.some((brand) => /^avi[fs]/.test(brand)) ? 'avif' : 'heic';
}

const others: [start: string, name: string][] = [
  ['\x1f\x8b', 'gzip'],
  ['BZh', 'bzip2'],
  ['7z\xbc\xaf', '7-Zip'],
  ['Rar!', 'RAR'],
  ['\xfd7zXZ', 'xz'],
  ['\x28\xb5\x2f\xfd', 'Zstandard'],
  ['\x7fELF', 'program'],
  ['MZ', 'program'],
  ['ID3', 'audio'],
  ['OggS', 'audio'],
  ['fLaC', 'audio'],
  ['\x1a\x45\xdf\xa3', 'video'],
  ['SQLite format 3', 'SQLite'],
];

/** The name of a binary format that can't be read, for the message. */
export function foreignFormat(head: Buffer): string | undefined {
  const latin = head.toString('latin1', 0, 16);
  if (latin.slice(4, 8) === 'ftyp') return 'video';
  return others.find(([start]) => latin.startsWith(start))?.[1];
}
