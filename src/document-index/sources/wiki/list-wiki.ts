import { BadRequest } from '../../../contracts/problems.ts';
import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { unsupported } from '../files/unsupported.ts';
import type { SourceItem } from '../source.ts';
import type { WikiContent, WikiContents, WikiPage } from './wiki-content.ts';
import type { WikiLink } from './wiki-link.ts';

/** A page and all pages below it, or all pages of a space, each followed by its attachments. */
export async function* listWiki(contents: WikiContents, link: WikiLink): AsyncGenerator<SourceItem> {
  for await (const page of pagesOf(contents, link)) {
    yield pageItem(link.base, page);
    for await (const attachment of contents.attachments(page))
      yield attachmentItem(link.base, page, attachment);
  }
}

async function* pagesOf(contents: WikiContents, link: WikiLink): AsyncGenerator<WikiPage> {
  if ('space' in link && link.title === undefined) {
    yield* contents.ofSpace(link.space);
    return;
  }
  const root =
    'page' in link
      ? await contents.page(link.page)
      : await contents.pageByTitle(link.space, link.title ?? '');
  if (!root) {
    throw new BadRequest(
      `the wiki has no page '${'title' in link ? link.title : ''}' that this token may read`,
    );
  }
  yield root;
  yield* below(contents, root.id);
}

/** Search is one request per hundred pages, but some servers refuse it; then level by level. */
async function* below(contents: WikiContents, id: string): AsyncGenerator<WikiPage> {
  let found = 0;
  try {
    for await (const page of contents.below(id)) {
      found++;
      yield page;
    }
  } catch (error) {
    if (found > 0 || !(error instanceof Refused)) throw error;
    yield* walk(contents, id, new Set([id]));
  }
}

async function* walk(contents: WikiContents, id: string, seen: Set<string>): AsyncGenerator<WikiPage> {
  for await (const page of contents.children(id)) {
    if (seen.has(page.id)) continue;
    seen.add(page.id);
    yield page;
    yield* walk(contents, page.id, seen);
  }
}

export function pathOf({ space, ancestors }: WikiPage): string[] {
  const titles = (ancestors ?? []).map(({ title }) => title ?? '').filter((title) => title !== '');
  return [...(space ? [space.name || space.key] : []), ...titles];
}

export const pageAddress = (base: string, id: string) => `${base}/pages/viewpage.action?pageId=${id}`;

function pageItem(base: string, page: WikiPage): SourceItem {
  return {
    id: `page:${page.id}`,
    version: page.version ? String(page.version.number) : null,
    name: `${page.title}.pdf`,
    url: page._links?.webui?.startsWith('/') ? base + page._links.webui : pageAddress(base, page.id),
    size: null,
    path: pathOf(page),
  };
}

function attachmentItem(base: string, page: WikiPage, attachment: WikiContent): SourceItem {
  const type = attachment.extensions?.mediaType ?? attachment.metadata?.mediaType ?? null;
  const download = attachment._links?.download;
  const picture = /^image\//i.test(type ?? '') && {
    problem: 'pictures are part of the pages that show them',
  };
  const missing = !download?.startsWith('/') && { problem: 'the wiki gives no address for this attachment' };
  return {
    id: `attachment:${attachment.id}`,
    version: attachment.version ? String(attachment.version.number) : null,
    name: attachment.title,
    url: download?.startsWith('/') ? base + download : pageAddress(base, page.id),
    size: attachment.extensions?.fileSize ?? null,
    path: [...pathOf(page), page.title],
    ...(missing || picture || unsupported(attachment.title, type)),
  };
}
