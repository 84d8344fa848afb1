import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { fileStart } from '../../pdf/file-start.ts';

/** The objects of a PDF file. The same objects give the same bytes: there are no dates and no random ids. */
export class PdfFile {
  readonly #objects: (Buffer | undefined)[] = [];

  /** A reference to an object that is set later. */
  reserve(): string {
    this.#objects.push(undefined);
    return `${this.#objects.length} 0 R`;
  }

  set(reference: string, content: string | Buffer): void {
    this.#objects[Number.parseInt(reference, 10) - 1] = Buffer.from(content as string);
  }

  add(content: string | Buffer): string {
    const reference = this.reserve();
    this.set(reference, content);
    return reference;
  }

  /** `dictionary` has the entries beyond the length and the filter. */
  addStream(dictionary: string, bytes: Uint8Array, { packed = false } = {}): string {
    const data = packed ? bytes : deflateSync(bytes);
    const filter = packed ? '' : '/Filter /FlateDecode ';
    return this.add(
      Buffer.concat([
        Buffer.from(`<< ${dictionary} ${filter}/Length ${data.length} >>\nstream\n`),
        data,
        Buffer.from('\nendstream'),
      ]),
    );
  }

  finish(catalog: string, info: string): Buffer {
    const parts: Buffer[] = [fileStart];
    let size = fileStart.length;
    const add = (part: Buffer) => {
      parts.push(part);
      size += part.length;
    };
    const rows: string[] = [];
    this.#objects.forEach((content, at) => {
      rows.push(`${String(size).padStart(10, '0')} 00000 n \n`);
      add(Buffer.from(`${at + 1} 0 obj\n`));
      add(content ?? Buffer.from('null'));
      add(Buffer.from('\nendobj\n'));
    });
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    const id = hash.digest('hex').slice(0, 32);
    const trailer = `<< /Size ${rows.length + 1} /Root ${catalog} /Info ${info} /ID [<${id}> <${id}>] >>`;
    const table = `xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join('')}`;
    parts.push(Buffer.from(`${table}trailer\n${trailer}\nstartxref\n${size}\n%%EOF\n`));
    return Buffer.concat(parts);
  }
}

/** A string for people: titles, names. */
export const textString = (text: string): string =>
  `<feff${Buffer.from(text.toWellFormed(), 'utf16le').swap16().toString('hex')}>`;

/** A string of ASCII, such as an address. */
export const asciiString = (text: string): string =>
  `(${text.replace(/[\\()]/g, '\\$&').replace(/[^\x20-\x7e]/g, '')})`;

export const number = (value: number): string => String(Math.round(value * 100) / 100);
