import { type CompoundFile, openCompoundFile } from '../../containers/compound-file.ts';
import { decodeText } from '../../detection/decode-text.ts';
import type { Draft } from '../../drafts/draft.ts';
import type { FormatInput } from '../format-input.ts';
import { readBytes } from '../read-text.ts';
import { decoderOfCodePage } from '../rtf/code-pages.ts';
import { rtfDrafts } from '../rtf/read-rtf.ts';
import { unpackRtf } from './compressed-rtf.ts';
import { mailDrafts } from './mail-drafts.ts';

/** Outlook's numbers of properties ([MS-OXPROPS]). */
const property = {
  subject: '0037',
  senderName: '0C1A',
  senderAddress: '5D01',
  senderEmail: '0C1F',
  body: '1000',
  html: '1013',
  rtf: '1009',
  recipientName: '3001',
  recipientAddress: '39FE',
  recipientEmail: '3003',
  longName: '3707',
  shortName: '3704',
} as const;

export async function* readMsg(input: FormatInput): AsyncGenerator<Draft> {
  const file = openCompoundFile(await readBytes(input));
  const message = new Properties(file, '', codePageOf(file));
  const recipients = foldersOf(file, '__recip_version1.0_').map(
    (folder) => new Properties(file, folder, message.codePage),
  );
  const attachments = foldersOf(file, '__attach_version1.0_')
    .map((folder) => new Properties(file, folder, message.codePage))
    .map((it) => it.text(property.longName) ?? it.text(property.shortName) ?? '')
    .filter(Boolean);
  const ofType = (type: number) => recipients.filter((it) => it.number(0x0c15) === type).map(recipientOf);
  const headers = {
    from: [
      addressOf(
        message.text(property.senderName),
        message.text(property.senderAddress) ?? message.text(property.senderEmail),
      ),
    ].filter(Boolean),
    to: ofType(1),
    cc: ofType(2),
    subject: message.text(property.subject),
    sentAt: message.time(0x0039) ?? message.time(0x0e06),
    attachments,
  };
  const html = message.bytes(property.html);
  const body = {
    html: html
      ? decodeText(html, {
          declared: /charset\s*=\s*["']?([\w-]+)/i.exec(html.toString('latin1', 0, 2_048))?.[1],
        }).text
      : message.text(property.html),
    text: message.text(property.body),
  };
  const packed = message.bytes(property.rtf);
  if (!body.html && !body.text?.trim() && packed) {
    const drafts = rtfDrafts(unpackRtf(packed, input.mostBytes));
    for (const draft of drafts) yield { ...draft, mail: headers };
    if (drafts.length > 0) return;
  }
  yield* mailDrafts(headers, body);
}

const recipientOf = (it: Properties) =>
  addressOf(
    it.text(property.recipientName),
    it.text(property.recipientAddress) ?? it.text(property.recipientEmail),
  );

/** Exchange's own addresses (`/O=…`) mean nothing outside. */
function addressOf(name: string | undefined, address: string | undefined): string {
  const mail = address?.includes('@') ? address : undefined;
  if (!mail) return name ?? '';
  return name && name !== mail ? `${name} <${mail}>` : mail;
}

function foldersOf(file: CompoundFile, prefix: string): string[] {
  const folders = file.entries.filter(
    ({ path, isStream }) => !isStream && path.startsWith(prefix) && !path.includes('/'),
  );
  return folders.map(({ path }) => `${path}/`).sort();
}

function codePageOf(file: CompoundFile): number {
  return new Properties(file, '', 1251).number(0x3ffd) ?? 1252;
}

class Properties {
  readonly codePage: number;
  readonly #file: CompoundFile;
  readonly #folder: string;

  constructor(file: CompoundFile, folder: string, codePage: number) {
    this.#file = file;
    this.#folder = folder;
    this.codePage = codePage;
  }

  text(id: string): string | undefined {
    const unicode = this.#stream(id, '001F');
    if (unicode) return unicode.toString('utf16le').replace(/\0+$/, '');
    const bytes = this.#stream(id, '001E');
    return bytes && decoderOfCodePage(this.codePage).decode(bytes).replace(/\0+$/, '');
  }

  bytes(id: string): Buffer | undefined {
    return this.#stream(id, '0102');
  }

  number(id: number): number | undefined {
    return this.#fixed(id)?.readUInt32LE(8);
  }

  time(id: number): string | undefined {
    const entry = this.#fixed(id);
    if (!entry) return undefined;
    // 100 nanoseconds since 1601.
    const moment = new Date(Number(entry.readBigUInt64LE(8) / 10_000n) - 11_644_473_600_000);
    return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
  }

  #stream(id: string, type: string): Buffer | undefined {
    return this.#file.read(`${this.#folder}__substg1.0_${id}${type}`);
  }

  #fixed(id: number): Buffer | undefined {
    const stream = this.#file.read(`${this.#folder}__properties_version1.0`);
    if (!stream) return undefined;
    for (let at = this.#folder === '' ? 32 : 8; at + 16 <= stream.length; at += 16) {
      if (stream.readUInt16LE(at + 2) === id) return stream.subarray(at, at + 16);
    }
    return undefined;
  }
}
