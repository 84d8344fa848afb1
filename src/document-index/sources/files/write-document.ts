import { htmlTree } from '../../../documents/markup/html-tree.ts';
import { escapeHtml, writeHtml } from './write-html.ts';

interface WrittenDocument {
  title: string;
  /** What lies above it. */
  path: string[];
  html: string;
  /** Address that relative links refer to. */
  base: string;
}

/** A page as a document of its own: the path to it, its title, then its content with tables, code and pictures. */
export function writeDocument({ title, path, html, base }: WrittenDocument): string {
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>
<p>${escapeHtml([...path, title].join(' / '))}</p>
<h1>${escapeHtml(title)}</h1>
${writeHtml(htmlTree(html), `${base}/`)}
</body></html>
`;
}
