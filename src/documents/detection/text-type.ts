import type { FileType } from './file-types.ts';

const mailHeader =
  /^(?:from|to|cc|subject|date|received|return-path|mime-version|message-id|delivered-to|content-type|x-[\w-]+|dkim-signature|reply-to|content-transfer-encoding|arc-[\w-]+|authentication-results):/i;
const htmlTag = /<(?:html|head|body|div|p|span|table|h[1-6]|ul|ol|meta|article|section|br|a)\b[^>]{0,500}>/gi;

/** The type of decoded text, by what it looks like; `named` decides where several would fit. */
export function typeOfText(sample: string, named: FileType | undefined): FileType {
  const start = sample.replace(/^\ufeff/, '').trimStart();
  if (start.startsWith('{\\rtf')) return 'rtf';
  if (isMail(start)) return 'eml';
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html)\b/is.test(start))
    return 'html';
  if (/^<\?xml\b|^<!DOCTYPE\s/i.test(start)) return 'xml';
  const mayBe = named === 'eml' || named === 'rtf' ? undefined : named;
  if (mayBe && fits(mayBe, start)) return mayBe;
  if (/^[[{]/.test(start) && looksLikeJson(start)) return 'json';
  if ((start.match(htmlTag)?.length ?? 0) >= 3 && start.startsWith('<')) return 'html';
  if (/^<[a-z_][\w:.-]*(?:\s[^<>]*)?\/?>/i.test(start) && /<\/[a-z_][\w:.-]*>|\/>/i.test(start)) return 'xml';
  if (isTable(start, '\t')) return 'tsv';
  if (isTable(start, ',') || isTable(start, ';')) return 'csv';
  if (isRestructured(start)) return 'rst';
  if (isMarkdown(start)) return 'markdown';
  return 'text';
}

/** Text formats are plain text as well: what the name says holds unless the content can't be that. */
function fits(named: FileType, start: string): boolean {
  switch (named) {
    case 'json':
      return looksLikeJson(start);
    case 'xml':
    case 'html':
      return start.includes('<');
    case 'csv':
    case 'tsv':
    case 'markdown':
    case 'rst':
    case 'text':
      return true;
    default:
      return false;
  }
}

function isMail(start: string): boolean {
  const lines = start.slice(0, 8_000).split(/\r?\n/);
  let headers = 0;
  for (const line of lines) {
    if (mailHeader.test(line)) headers++;
    else if (/^[ \t]/.test(line) && headers > 0) continue;
    else if (/^[\w-]{1,60}:/.test(line)) continue;
    else break;
  }
  return (
    headers >= 3 &&
    /^(?:from|received|return-path|message-id|subject|date|delivered-to):/im.test(start.slice(0, 8_000))
  );
}

function looksLikeJson(start: string): boolean {
  return (
    /^\{\s*(?:"(?:[^"\\]|\\.){0,1000}"\s*:|\})/.test(start) ||
    /^\[\s*(?:[[{"\]\d-]|true|false|null)/.test(start)
  );
}

/** At least three lines with the same number of delimiters, two columns or more, none of them long prose. */
function isTable(start: string, delimiter: string): boolean {
  const lines = start
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, 20);
  // The last line of a sample may be cut.
  if (lines.length > 3) lines.pop();
  if (lines.length < 2 || lines.some((line) => line.length > 20_000)) return false;
  const counts = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, '').split(delimiter).length);
  const columns = counts[0] ?? 0;
  if (columns < 2 || counts.some((count) => count !== columns)) return false;
  return delimiter === '\t' || columns > 2 || lines.every((line) => !/[,;] /.test(line));
}

function isRestructured(start: string): boolean {
  return (
    /^\.\. [\w-]+::/m.test(start) ||
    (/^(\S.{0,200})\n(={3,}|-{3,}|~{3,})\s*$/m.test(start) && /``[^`]+``|^\.\. /m.test(start))
  );
}

function isMarkdown(start: string): boolean {
  const signs = [
    /^#{1,6} \S/m,
    /^\s{0,3}[-*+] \S/m,
    /^```/m,
    /\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)/,
    /\*\*[^*\n]{1,200}\*\*/,
    /^\|.*\|\s*\n\|[ :|-]+\|/m,
    /^> /m,
  ];
  return signs.filter((sign) => sign.test(start)).length >= 2 || /^# \S/.test(start);
}
