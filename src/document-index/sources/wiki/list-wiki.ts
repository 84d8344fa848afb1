import { BadRequest } from '../../../contracts/problems.ts';
import { rateLimitedCode } from '../../../platform/outgoing/answers/answer-problem.ts';
import { isOfPart, listPart, type Part } from '../api/list-part.ts';
import { unsupported } from '../files/unsupported.ts';
import type { SourceItem } from '../source.ts';
import type { WikiContent, WikiContents, WikiPage } from './wiki-content.ts';
import type { WikiLink } from './wiki-link.ts';

interface Wiki {
  contents: WikiContents;
  base: string;
}

/** A page, and the ids of the pages above it as `containers`. */
interface Found {
  page: WikiPage;
  containers: string[];
}

/** A page and all pages below it, or all pages of a space, each followed by its attachments. */
export async function* listWiki(contents: WikiContents, link: WikiLink): AsyncGenerator<SourceItem> {
  const wiki = { contents, base: link.base };
  if ('space' in link && link.title === undefined) {
    for await (const page of contents.ofSpace(link.space)) yield* pageItems(wiki, foundIn(page));
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
  yield* pageItems(wiki, foundIn(root));
  yield* below(wiki, foundIn(root));
}

/**
 * Search is one request per hundred pages. Some servers refuse it, and one whose index is being rebuilt finds nothing;
 * then level by level.
 */
async function* below(wiki: Wiki, root: Found): AsyncGenerator<SourceItem> {
  let isFound = false;
  try {
    for await (const page of wiki.contents.below(root.page.id)) {
      isFound = true;
      yield* pageItems(wiki, foundIn(page));
    }
    if (isFound) return;
  } catch (error) {
    if (!isOfPart(error) || error.code === rateLimitedCode) throw error;
  }
  yield* walk(wiki, root, new Set([root.page.id]));
}

async function* walk(wiki: Wiki, above: Found, seen: Set<string>): AsyncGenerator<SourceItem> {
  const containers = [...above.containers, childrenOf(above.page.id)];
  for await (const page of wiki.contents.children(above.page.id)) {
    if (seen.has(page.id)) continue;
    seen.add(page.id);
    const found = { page, containers };
    yield* pageItems(wiki, found);
    const part = { id: childrenOf(page.id), name: `${page.title}: pages below it` };
    yield* listPart({ ...pageItem(wiki, found), ...part }, () => walk(wiki, found, seen));
  }
}

async function* pageItems(wiki: Wiki, found: Found): AsyncGenerator<SourceItem> {
  const { page } = found;
  const item = pageItem(wiki, found);
  yield item;
  const part = { id: attachmentsOf(page.id), name: `${page.title}: attachments` };
  yield* listPart({ ...item, ...part }, async function* () {
    for await (const attachment of wiki.contents.attachments(page)) {
      // The page shows its pictures.
      if (!/^image\//i.test(typeOf(attachment) ?? '')) yield attachmentItem(wiki, found, attachment);
    }
  });
}

const foundIn = (page: WikiPage): Found => ({
  page,
  containers: (page.ancestors ?? []).flatMap(({ id }) => (id === undefined ? [] : [childrenOf(id)])),
});

const childrenOf = (id: string) => `children:${id}`;
const attachmentsOf = (id: string) => `attachments:${id}`;

export function pathOf({ space, ancestors }: WikiPage): string[] {
  const titles = (ancestors ?? []).map(({ title }) => title ?? '').filter((title) => title !== '');
  return [...(space ? [space.name || space.key] : []), ...titles];
}

export const pageAddress = (base: string, id: string) => `${base}/pages/viewpage.action?pageId=${id}`;

function pageItem({ base }: Wiki, { page, containers }: Found): SourceItem & Part {
  return {
    id: `page:${page.id}`,
    version: page.version ? String(page.version.number) : null,
    name: `${page.title}.pdf`,
    title: page.title,
    url: page._links?.webui?.startsWith('/') ? base + page._links.webui : pageAddress(base, page.id),
    size: null,
    path: pathOf(page),
    containers,
  };
}

const typeOf = ({ extensions, metadata }: WikiContent) =>
  extensions?.mediaType ?? metadata?.mediaType ?? null;

function attachmentItem({ base }: Wiki, { page, containers }: Found, attachment: WikiContent): SourceItem {
  const download = attachment._links?.download;
  const missing = !download?.startsWith('/') && { problem: 'the wiki gives no address for this attachment' };
  return {
    id: `attachment:${attachment.id}`,
    version: attachment.version ? String(attachment.version.number) : null,
    name: attachment.title,
    url: download?.startsWith('/') ? base + download : pageAddress(base, page.id),
    size: attachment.extensions?.fileSize ?? null,
    path: [...pathOf(page), page.title],
    containers: [...containers, attachmentsOf(page.id)],
    ...(missing || unsupported(attachment.title, typeOf(attachment))),
  };
}
