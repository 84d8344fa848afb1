const mostBytes = 200;
const decoder1251 = new TextDecoder('windows-1251');

/** The file name in a Content-Disposition header, as RFC 6266 defines it and as servers really send it. */
export function nameInHeader(header: string | undefined): string | undefined {
  if (!header) return undefined;
  const extended = /(?:^|;)\s*filename\*\s*=\s*"?([\w!#$%&+^`{}~.-]{0,40})'[^']{0,40}'([^;"\s]+)/i.exec(
    header,
  );
  if (extended) {
    const name = percentDecoded(extended[2] ?? '', extended[1]);
    if (name) return baseName(name);
  }
  const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
  const plain = quoted ?? /(?:^|;)\s*filename\s*=\s*([^;]+)/i.exec(header)?.[1]?.trim();
  if (!plain) return undefined;
  const words = encodedWords(plain);
  if (words !== plain) return baseName(words);
  const text = fromBytes(plain);
  return baseName(/%[0-9a-f]{2}/i.test(text) ? (percentDecoded(text) ?? text) : text);
}

/** The last part of a URL's path, percent-decoded; a file name in its query where the path has none. */
export function nameInUrl(address: string): string {
  const url = new URL(address);
  const segment = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  const name = percentDecoded(segment) ?? segment;
  if (!/\.[a-z0-9]{2,5}$/i.test(name) || /\.(?:php|aspx?|jsp|cgi|do|action)$/i.test(name)) {
    const asked = ['filename', 'file', 'name', 'fname'].map((key) => url.searchParams.get(key));
    const named = asked.find((value) => value && /[^/\\]\.[a-z0-9]{2,5}$/i.test(value));
    if (named) return baseName(named);
  }
  return name === '' ? url.hostname : baseName(name);
}

const extensions = new Map([
  ['application/pdf', 'pdf'],
  ['application/msword', 'doc'],
  ['application/rtf', 'rtf'],
  ['text/rtf', 'rtf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
  ['application/epub+zip', 'epub'],
  ['text/csv', 'csv'],
  ['text/markdown', 'md'],
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
]);

/** Adds the ending that a media type implies to a name without one. */
export function withExtension(name: string, type: string | null): string {
  const extension = extensions.get(type?.split(';')[0]?.trim().toLowerCase() ?? '');
  return !extension || /\.[a-z0-9]{2,5}$/i.test(name) ? name : cleanName(`${name}.${extension}`);
}

/** A name that can be a document's name: one line, no path, not too long; its ending is kept. */
export function cleanName(text: string): string {
  const name = text
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
    .replace(/[\u0000-\u001f\u007f\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, ' ')
    .replace(/[/\\]/g, '_')
    .replace(/\s+/gu, ' ')
    .trim();
  if (name === '' || name === '.' || name === '..') return 'document';
  // Pages without a title have nothing but the ending that we add.
  if (/^\.[a-z0-9]{2,5}$/i.test(name)) return `document${name}`;
  if (Buffer.byteLength(name) <= mostBytes) return name;
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0] ?? '';
  const room = mostBytes - ending.length;
  let stem = '';
  let bytes = 0;
  for (const letter of name.slice(0, name.length - ending.length)) {
    bytes += Buffer.byteLength(letter);
    if (bytes > room) break;
    stem += letter;
  }
  return stem.trimEnd() + ending;
}

/** Some servers send the whole path on the sender's machine. */
const baseName = (text: string) =>
  cleanName(text.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? text);

/** Bytes beyond ASCII in a header, which Node reads as Latin-1, are UTF-8 or the Cyrillic code page of Windows. */
function fromBytes(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  if (bytes.toString('latin1') !== header || !bytes.some((byte) => byte >= 0x80)) return header;
  return decoded(bytes) ?? header;
}

function decoded(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  const cyrillic = decoder1251.decode(bytes);
  const letters = cyrillic.match(/[^\x20-\x7e]/g) ?? [];
  return letters.every((letter) => /[а-яё№«»—–]/i.test(letter)) ? cyrillic : undefined;
}

function percentDecoded(text: string, charset = ''): string | undefined {
  const bytes = Buffer.concat(
    (text.match(/%[0-9a-f]{2}|[^%]+|%/gi) ?? []).map((part) =>
      /^%../.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part, 'utf8'),
    ),
  );
  if (/^iso-8859-1$/i.test(charset)) return bytes.toString('latin1');
  if (/1251/.test(charset)) return decoder1251.decode(bytes);
  return decoded(bytes);
}

/** `=?UTF-8?B?…?=`, which belongs into mail headers only. */
function encodedWords(text: string): string {
  return text.replace(
    /=\?([\w-]{1,40})\?([bq])\?([^?]{0,2000})\?=(?:\s+(?==\?))?/gi,
    (_, charset: string, kind: string, content: string) => {
      const quoted = content.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, '%$1');
      const bytes = Buffer.from(content, 'base64');
      if (kind.toLowerCase() === 'q') return percentDecoded(quoted, charset) ?? content;
      return (/1251/.test(charset) ? decoder1251.decode(bytes) : decoded(bytes)) ?? content;
    },
  );
}
