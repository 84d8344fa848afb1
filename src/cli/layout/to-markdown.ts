import type { Chunk } from '../../documents/chunking/chunk-elements.ts';
import type { DocumentElement, MailHeaders, TableCells } from '../../documents/element.ts';
import { linkPieces, printable } from './inline-text.ts';

/** Markdown of a document. Headers, footers and page numbers, which interrupt the text, are left out. */
export function toMarkdown(elements: readonly DocumentElement[]): string {
  let text = mailHead(elements[0]?.mail);
  let before: DocumentElement | undefined;
  for (const element of elements) {
    const block = blockOf(element);
    if (block === '') continue;
    const isTight = before?.kind === 'ListItem' && element.kind === 'ListItem';
    text += `${text === '' ? '' : isTight ? '\n' : '\n\n'}${block}`;
    before = element;
  }
  return text;
}

/** Chunks are separated by rules. */
export const chunksToMarkdown = (chunks: readonly Chunk[]): string =>
  chunks
    .map(({ kind, text, html }) => (kind === 'CompositeElement' ? inline(text) : printable(html ?? text)))
    .join('\n\n---\n\n');

function blockOf({ kind, text, depth = 0, table, html, links }: DocumentElement): string {
  switch (kind) {
    case 'Header':
    case 'Footer':
    case 'PageNumber':
      return '';
    case 'PageBreak':
      return '---';
    case 'Title':
      return `${'#'.repeat(Math.min(depth, 5) + 1)} ${oneLine(inline(text, links))}`;
    case 'ListItem':
      return listItem(oneLine(inline(text, links)), Math.min(depth, 20));
    case 'Table':
      return printable((table && pipeTable(table)) ?? html ?? text);
    case 'CodeSnippet':
      return fenced(printable(text));
    case 'Formula':
      return `$$\n${printable(text)}\n$$`;
    case 'FigureCaption':
      return text === '' ? '' : `*${oneLine(inline(text))}*`;
    case 'Image':
      return text === '' ? '' : `![${oneLine(inline(text))}]()`;
    default:
      return inline(text, links);
  }
}

/** Items that have a number keep it as their marker. */
function listItem(text: string, depth: number): string {
  const numbered = /^(\d{1,9})\\?([.)])\s+(.*)$/s.exec(text);
  const marker = numbered ? `${numbered[1]}${numbered[2]}` : '-';
  return `${'   '.repeat(depth)}${marker} ${numbered?.[3] ?? text}`;
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ');

function inline(text: string, links?: DocumentElement['links']): string {
  const pieces = linkPieces(text, links).map(({ text: words, url }) =>
    url === undefined
      ? escaped(words)
      : `[${escaped(words)}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`,
  );
  // What looks like a heading, quotation or list at the start of a line.
  return pieces.join('').replace(/^([ \t]*)(#{1,6}|>|[-+]|\d{1,9}(?=[.)]\s))(?=[\s.)]|$)/gm, escapeStart);
}

const escapeStart = (_: string, indent: string, mark: string) =>
  /\d/.test(mark) ? `${indent}${mark}\\` : `${indent}\\${mark}`;

const escaped = (text: string) =>
  printable(text)
    .replace(/[\\`*[\]]|<(?=[\p{L}/!?])/gu, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');

function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}

/** A table of pipes can't have merged cells or several heading rows: those stay HTML. */
function pipeTable({ rows, columns, headerRows, cells }: TableCells): string | undefined {
  if (headerRows > 1 || cells.some(({ rowSpan, columnSpan }) => rowSpan > 1 || columnSpan > 1))
    return undefined;
  const grid = Array.from({ length: rows }, () => new Array<string>(columns).fill(''));
  for (const { row, column, text } of cells) {
    const line = grid[row];
    if (line)
      line[column] = escaped(text)
        .replaceAll('|', '\\|')
        .replace(/\s*\n\s*/g, '<br>');
  }
  const head = headerRows === 1 ? grid.shift() : new Array<string>(columns).fill('');
  const line = (texts: string[] = []) => `| ${texts.join(' | ')} |`;
  return [line(head), line(new Array<string>(columns).fill('---')), ...grid.map(line)].join('\n');
}

function mailHead(mail: MailHeaders | undefined): string {
  return mailLines(mail)
    .map(([name, value]) => `**${name}:** ${escaped(value)}`)
    .join('  \n');
}

export function mailLines({
  from,
  to,
  cc,
  subject,
  sentAt,
  attachments,
}: MailHeaders = {}): [string, string][] {
  const lines: [string, string | undefined][] = [
    ['From', from?.join(', ')],
    ['To', to?.join(', ')],
    ['Cc', cc?.join(', ')],
    ['Date', sentAt],
    ['Subject', subject],
    ['Attachments', attachments?.join(', ')],
  ];
  return lines.filter((line): line is [string, string] => Boolean(line[1]));
}
