export type RtfToken =
  | { type: 'open' }
  | { type: 'close' }
  | { type: 'word'; word: string; value: number | undefined }
  | { type: 'byte'; byte: number };

const letter = (byte: number) => (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90);
const digit = (byte: number) => byte >= 48 && byte <= 57;

/** Groups, control words and bytes of text of an RTF file. */
export function* rtfTokens(bytes: Buffer): Generator<RtfToken> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at++] ?? 0;
    if (byte === 0x7b) yield { type: 'open' };
    else if (byte === 0x7d) yield { type: 'close' };
    else if (byte === 13 || byte === 10) continue;
    else if (byte !== 0x5c) yield { type: 'byte', byte };
    else if (letter(bytes[at] ?? 0)) {
      const start = at;
      while (letter(bytes[at] ?? 0)) at++;
      const word = bytes.toString('latin1', start, at);
      const numberStart = at;
      if (bytes[at] === 0x2d) at++;
      while (digit(bytes[at] ?? 0)) at++;
      const digits = bytes.toString('latin1', numberStart, Math.min(at, numberStart + 12));
      const value = /\d/.test(digits) ? Number(digits) : undefined;
      if (bytes[at] === 32) at++;
      if (word === 'bin') at += Math.max(0, value ?? 0);
      else yield { type: 'word', word, value };
    } else {
      const sign = bytes[at++] ?? 0;
      if (sign === 0x27) {
        const code = Number.parseInt(bytes.toString('latin1', at, at + 2), 16);
        at += 2;
        if (!Number.isNaN(code)) yield { type: 'byte', byte: code };
      } else yield { type: 'word', word: String.fromCharCode(sign), value: undefined };
    }
  }
}
