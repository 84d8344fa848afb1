import type { Chunk } from '../../documents/chunking/chunk-elements.ts';
import type { DocumentElement } from '../../documents/element.ts';
import { linkPieces, printable } from './inline-text.ts';
import { mailLines } from './to-markdown.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .5rem;vertical-align:top}
header,footer,.page-number{color:#777;font-size:.85rem}pre{background:#f3f3f3;padding:.7rem;overflow:auto}
section.chunk{border-left:3px solid #ccc;margin:1rem 0;padding-left:1rem;white-space:pre-wrap}`;

/** One page with the documents, each in an `<article>`. It loads nothing and runs nothing. */
export function htmlPage(title: string, articles: readonly string[]): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>
${style}
</style>
</head>
<body>
${articles.join('\n')}
</body>
</html>`;
}

export function toHtml(name: string, elements: readonly DocumentElement[]): string {
  const lines = [`<article data-file="${escaped(name)}">`, ...mailLines(elements[0]?.mail).map(mailLine)];
  const lists: number[] = [];
  for (const element of elements) {
    const depth = element.kind === 'ListItem' ? (element.depth ?? 0) : -1;
    while (lists.length > 0 && (lists.at(-1) ?? 0) > depth) {
      lists.pop();
      lines.push('</ul>');
    }
    if (depth >= 0 && lists.at(-1) !== depth) {
      lists.push(depth);
      lines.push('<ul>');
    }
    const block = blockOf(element);
    if (block !== '') lines.push(block);
  }
  return [...lines, ...lists.map(() => '</ul>'), '</article>'].join('\n');
}

export function chunksToHtml(name: string, chunks: readonly Chunk[]): string {
  const sections = chunks.map(
    ({ kind, text, html }) =>
      `<section class="chunk">${kind === 'CompositeElement' ? escaped(text) : printable(html ?? escaped(text))}</section>`,
  );
  return [`<article data-file="${escaped(name)}">`, ...sections, '</article>'].join('\n');
}

function blockOf({ kind, text, depth = 0, page, html, links }: DocumentElement): string {
  const at = page === undefined ? '' : ` data-page="${page}"`;
  const words = inline(text, links);
  switch (kind) {
    case 'Title': {
      const level = Math.min(depth, 5) + 1;
      return `<h${level}${at}>${words}</h${level}>`;
    }
    case 'ListItem':
      return `<li${at}>${words}</li>`;
    case 'Table':
      return printable(html ?? `<pre>${escaped(text)}</pre>`);
    case 'CodeSnippet':
      return `<pre${at}><code>${escaped(text)}</code></pre>`;
    case 'Header':
      return `<header${at}>${words}</header>`;
    case 'Footer':
      return `<footer${at}>${words}</footer>`;
    case 'PageNumber':
      return `<p class="page-number"${at}>${words}</p>`;
    case 'PageBreak':
      return '<hr>';
    case 'FigureCaption':
    case 'Image':
      return text === '' ? '' : `<p${at}><em>${words}</em></p>`;
    default:
      return `<p${at}>${words}</p>`;
  }
}

const inline = (text: string, links: DocumentElement['links']) =>
  linkPieces(text, links)
    .map(({ text: words, url }) =>
      url === undefined ? escaped(words) : `<a href="${escaped(url)}">${escaped(words)}</a>`,
    )
    .join('');

const mailLine = ([name, value]: [string, string]) => `<p><b>${name}:</b> ${escaped(value)}</p>`;

const escaped = (text: string) =>
  printable(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
