import { htmlTree } from '../markup/html-tree.ts';
import { escapeHtml, writeHtml } from '../markup/write-html.ts';
import type { WebPage } from './web-page.ts';

/** A page as a document of its own: the path to it, its title, then its content with tables, code and pictures. */
export function writeHtmlPage({ title, path, html, base }: WebPage): string {
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>
<p>${escapeHtml([...path, title].join(' › '))}</p>
<h1>${escapeHtml(title)}</h1>
${writeHtml(htmlTree(html), `${base}/`)}
</body></html>
`;
}
