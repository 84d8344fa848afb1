import { open, readFile } from 'node:fs/promises';
import { isCompoundFile, openCompoundFile } from '../containers/compound-file.ts';
import { openZipArchive } from '../containers/zip-archive.ts';
import { Unreadable } from '../unreadable.ts';
import { decodeText } from './decode-text.ts';
import { type FileType, typeOfMime, typeOfName } from './file-types.ts';
import { foreignFormat, typeOfSignature } from './magic.ts';
import { typeOfText } from './text-type.ts';

const headBytes = 1 << 16;
/** DOC, XLS, PPT and MSG files are searched in memory. */
const mostCompoundBytes = 2 ** 28;

const zipSignatures = new Set(['504b0304', '504b0506', '504b0708']);

export interface DetectionInput {
  path: string;
  name: string;
  /** What the client says; only a hint between text formats. */
  mime?: string;
  encoding?: string;
}

/** The type of a file by its content. Throws `Unreadable` for empty, encrypted and unknown files. */
export async function detectType(input: DetectionInput): Promise<FileType> {
  const { head, size } = await headOf(input.path);
  if (size === 0) throw new Unreadable('empty', 'The file is empty.');
  const signed = typeOfSignature(head);
  if (signed) return signed;
  if (zipSignatures.has(head.toString('hex', 0, 4))) return typeOfZip(input.path);
  if (isCompoundFile(head)) {
    if (size > mostCompoundBytes) throw new Unreadable('too large', 'The file is too large for its format.');
    return typeOfCompound(await readFile(input.path));
  }
  return typeOfPlain(head, input);
}

async function headOf(path: string): Promise<{ head: Buffer; size: number }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return { head: buffer.subarray(0, bytesRead), size };
  } finally {
    await file.close();
  }
}

const openDocumentTypes = new Map<string, FileType>([
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.text-template', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.spreadsheet-template', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
  ['application/vnd.oasis.opendocument.presentation-template', 'odp'],
  ['application/epub+zip', 'epub'],
]);

async function typeOfZip(path: string): Promise<FileType> {
  const archive = await openZipArchive(path, 2 ** 20);
  try {
    if (archive.names.some((name) => /^word\/document\d*\.xml$/.test(name))) return 'docx';
    if (archive.has('ppt/presentation.xml')) return 'pptx';
    if (archive.has('xl/workbook.xml')) return 'xlsx';
    const declared = archive.has('mimetype') ? (await archive.text('mimetype'))?.trim() : undefined;
    const type =
      openDocumentTypes.get(declared ?? '') ?? (archive.has('META-INF/container.xml') ? 'epub' : undefined);
    if (type) return type;
    throw unsupported(
      archive.has('xl/workbook.bin') ? 'application/vnd.ms-excel.sheet.binary' : 'application/zip',
    );
  } finally {
    archive.close();
  }
}

function typeOfCompound(bytes: Buffer): FileType {
  const { entries, read } = bound(openCompoundFile(bytes));
  const names = new Set(entries.map((entry) => entry.path));
  if (names.has('EncryptedPackage')) throw encrypted();
  if (names.has('WordDocument')) {
    // [MS-DOC] 2.5.1: fEncrypted.
    if (((read('WordDocument')?.[11] ?? 0) & 1) === 1) throw encrypted();
    return 'doc';
  }
  if (names.has('Workbook') || names.has('Book')) return 'xls';
  if (names.has('PowerPoint Document')) return 'ppt';
  if (names.has('__properties_version1.0')) return 'msg';
  throw unsupported('application/x-ole-storage');
}

const bound = (file: ReturnType<typeof openCompoundFile>) => ({
  entries: file.entries,
  read: (path: string) => file.read(path),
});

function typeOfPlain(head: Buffer, { name, mime, encoding }: DetectionInput): FileType {
  const { text } = decodeText(head, { encoding });
  if (isBinary(text)) {
    const foreign = foreignFormat(head);
    if (foreign) throw unsupported(foreign);
    const named = typeOfName(name);
    const note = named ? ` By its name it should be ${named.toUpperCase()}; it may be damaged.` : '';
    throw unsupported('application/octet-stream', note);
  }
  return typeOfText(text, typeOfName(name) ?? typeOfMime(mime));
}

function isBinary(text: string): boolean {
  const sample = text.slice(0, 8_192);
  let controls = 0;
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at);
    // Tabs, line and page ends, and the escape of terminals occur in text.
    if (code < 32 && (code < 9 || code > 13) && code !== 27) controls++;
  }
  return controls > sample.length / 100;
}

const encrypted = () => new Unreadable('encrypted', 'File is encrypted. Please decrypt it with password.');
const unsupported = (type: string, note = '') =>
  new Unreadable('unsupported', `File type ${type} is not supported.${note}`);
