import { isUtf8 } from 'node:buffer';
import { type Entry, open as openZip, type ZipFile } from 'yauzl';
import { Unreadable } from '../unreadable.ts';

export interface ZipArchive {
  names: string[];
  has(name: string): boolean;
  /** The bytes of a member, or undefined if there is none. Refuses members that don't fit into the limit. */
  bytes(name: string): Promise<Buffer | undefined>;
  text(name: string): Promise<string | undefined>;
  close(): void;
}

const mostMembers = 50_000;

/** Opens a zip file. All members together may unpack to at most `limit` bytes, counted as they are read. */
export async function openZipArchive(path: string, limit: number): Promise<ZipArchive> {
  const file = await opened(path);
  const entries = await listed(file).catch((error) => {
    file.close();
    throw error;
  });
  let left = limit;
  const bytes = async (name: string): Promise<Buffer | undefined> => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (entry.isEncrypted())
      throw new Unreadable('encrypted', 'File is encrypted. Please decrypt it with password.');
    if (entry.uncompressedSize > left) throw tooLarge(limit);
    left -= entry.uncompressedSize;
    return unpacked(file, entry);
  };
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    bytes,
    text: async (name) => {
      const content = await bytes(name);
      return content && decodeXml(content);
    },
    close: () => file.close(),
  };
}

const tooLarge = (limit: number) =>
  new Unreadable('too large', `The file unpacks to more than ${Math.round(limit / 2 ** 20)} MiB.`);
const damaged = (cause: unknown) =>
  new Unreadable('invalid', 'The file is damaged or incomplete.', { cause });

function opened(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    openZip(path, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, file) =>
      error ? reject(damaged(error)) : resolve(file),
    );
  });
}

function listed(file: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>();
    file.on('entry', (entry: Entry) => {
      if (entries.size >= mostMembers) {
        reject(new Unreadable('too large', `The file has more than ${mostMembers} parts.`));
        return;
      }
      const name = nameOf(entry.fileName as unknown as Buffer);
      if (!entries.has(name)) entries.set(name, entry);
      file.readEntry();
    });
    file.on('end', () => resolve(entries));
    file.on('error', (error: Error) => reject(damaged(error)));
    file.readEntry();
  });
}

/** Many programs write UTF-8 without the flag that says so. Names are only compared, never used as paths. */
const nameOf = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1'));

/** yauzl ends the stream with an error if a member is longer than it claims, so a false size can't fill the memory. */
function unpacked(file: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    file.openReadStream(entry, (error, stream) => {
      if (error) return reject(damaged(error));
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', (cause: Error) => reject(damaged(cause)));
      stream.on('end', () => resolve(Buffer.concat(chunks)));
    });
  });
}

function decodeXml(content: Buffer): string {
  if (content[0] === 0xff && content[1] === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (content[0] === 0xfe && content[1] === 0xff) return new TextDecoder('utf-16be').decode(content);
  return new TextDecoder('utf-8').decode(content);
}
