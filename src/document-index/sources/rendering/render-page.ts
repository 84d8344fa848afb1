import { Unreadable } from '../../../documents/unreadable.ts';
import type { PageWriter } from '../../../documents/writing/page-writer.ts';
import type { WebPage } from '../../../documents/writing/web-page.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { SystemApi } from '../api/system-api.ts';
import { once } from '../files/once.ts';
import type { FetchedFile, FetchOptions } from '../source.ts';
import { fetchPictures } from './fetch-pictures.ts';

/** What sources of pages need to render them. */
export interface Rendering {
  outgoing: Outgoing;
  writer: PageWriter;
}

/** A page as PDF, with the path to it at the top; as HTML with a warning where it can't be rendered. */
export async function renderPage(
  deps: Rendering & { api: SystemApi },
  { name, page }: { name: string; page: WebPage },
  { signal, limit }: FetchOptions,
): Promise<FetchedFile> {
  const { writer } = deps;
  try {
    const shown = /<img\b/i.test(page.html) ? await writer.picturesOf(page, signal) : [];
    const pictures = await fetchPictures(deps, shown, { base: page.base, signal });
    const pdf = await writer.pdf(page, pictures, signal);
    if (pdf.length > limit) throw new Unreadable('too large', 'The file would be too large.');
    return { name, type: 'application/pdf', body: once(pdf) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Unreadable)) throw error;
    return {
      name: name.replace(/\.pdf$/, '.html'),
      type: 'text/html; charset=utf-8',
      body: once(await writer.html(page, signal)),
      warning: `it could not be rendered as PDF, and was indexed as HTML without page numbers: ${error.message}`,
    };
  }
}
