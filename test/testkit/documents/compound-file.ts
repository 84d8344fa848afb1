// Writes an OLE compound file, the container of DOC, XLS, PPT and MSG files.

const sector = 512;
const mini = 64;
const end = 0xfffffffe;
const free = 0xffffffff;

const padded = (bytes: Buffer, to: number) =>
  Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to)]);

interface Entry {
  name: string;
  type: 1 | 2 | 5;
  content: Buffer;
  children: Entry[];
  start: number;
}

/** Files by path; a slash makes a storage. */
export function compoundFile(files: Record<string, Buffer>): Buffer {
  const root: Entry = { name: 'Root Entry', type: 5, content: Buffer.alloc(0), children: [], start: end };
  for (const [path, content] of Object.entries(files)) {
    const names = path.split('/');
    let folder = root;
    names.forEach((name, index) => {
      const known = folder.children.find((child) => child.name === name);
      const isFile = index === names.length - 1;
      const entry: Entry = known ?? {
        name,
        type: isFile ? 2 : 1,
        content: isFile ? content : Buffer.alloc(0),
        children: [],
        start: end,
      };
      if (!known) folder.children.push(entry);
      folder = entry;
    });
  }
  const entries: Entry[] = [];
  const list = (entry: Entry) => {
    entries.push(entry);
    for (const child of entry.children) list(child);
  };
  list(root);

  const miniFat: number[] = [];
  const miniParts: Buffer[] = [];
  for (const entry of entries.filter(
    ({ type, content }) => type === 2 && content.length < 4096 && content.length > 0,
  )) {
    entry.start = miniFat.length;
    const count = Math.ceil(entry.content.length / mini);
    for (let at = 0; at < count; at++) miniFat.push(at === count - 1 ? end : miniFat.length + 1);
    miniParts.push(padded(entry.content, mini));
  }
  root.content = Buffer.concat(miniParts);

  const fat: number[] = [];
  const parts: Buffer[] = [];
  const store = (content: Buffer): number => {
    if (content.length === 0) return end;
    const start = fat.length;
    const whole = padded(content, sector);
    for (let at = 0; at < whole.length / sector; at++) fat.push(fat.length + 1);
    fat[fat.length - 1] = end;
    parts.push(whole);
    return start;
  };
  for (const entry of entries) {
    if (entry.type === 5 || (entry.type === 2 && entry.content.length >= 4096))
      entry.start = store(entry.content);
  }
  const miniFatStart = store(numbers(miniFat));
  const directory = Buffer.concat(entries.map((entry) => record(entry, entries)));
  const directoryStart = store(directory);
  const fatSectors = Math.ceil((fat.length + 8) / (sector / 4 - 1));
  const fatStart = fat.length;
  for (let at = 0; at < fatSectors; at++) fat.push(0xfffffffd);
  const table = numbers(fat);

  const header = Buffer.alloc(sector, 0xff);
  header.fill(0, 0, 76);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(fatSectors, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(miniFatStart, 60);
  header.writeUInt32LE(end, 68);
  for (let at = 0; at < fatSectors; at++) header.writeUInt32LE(fatStart + at, 76 + at * 4);
  return Buffer.concat([
    header,
    ...parts,
    table,
    Buffer.alloc(Math.max(0, fatSectors * sector - table.length), 0xff),
  ]);
}

function numbers(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  const whole = Math.ceil(bytes.length / sector) * sector;
  return Buffer.concat([bytes, Buffer.alloc(whole - bytes.length, 0xff)]);
}

/** Siblings form a chain to the right, which is a search tree as well, if not a balanced one. */
function record(entry: Entry, entries: Entry[]): Buffer {
  const bytes = Buffer.alloc(128);
  const name = Buffer.from(`${entry.name}\0`, 'utf16le');
  name.copy(bytes);
  bytes.writeUInt16LE(name.length, 64);
  bytes[66] = entry.type;
  const parent = entries.find(({ children }) => children.includes(entry));
  const next = parent?.children[parent.children.indexOf(entry) + 1];
  bytes.writeUInt32LE(free, 68);
  bytes.writeUInt32LE(next ? entries.indexOf(next) : free, 72);
  const first = entry.children[0];
  bytes.writeUInt32LE(first ? entries.indexOf(first) : free, 76);
  bytes.writeUInt32LE(entry.start, 116);
  bytes.writeUInt32LE(entry.content.length, 120);
  return bytes;
}
